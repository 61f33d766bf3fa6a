package io.convoke.agent.meeting;

import java.util.Optional;

/**
 * A piece of a recording, as sound of 16 kHz.
 *
 * @param personId whose sound it is; absent in a piece of the whole meeting
 * @param offset samples between the beginning of the recording and that of the piece
 */
record RecordedPart(Optional<String> personId, long offset, byte[] pcm) {
  /** Samples between the beginning of the recording and the end of the piece. */
  long end() {
    return offset + pcm.length / 2;
  }
}
