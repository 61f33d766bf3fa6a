package io.convoke.agent.meeting;

import java.util.Optional;

/** A piece of a recording, as sound of 16 kHz. */
final class RecordedPart {
  private final Optional<String> personId;
  private final long offset;
  private final byte[] pcm;

  /** Without a person it is of the whole meeting. */
  RecordedPart(Optional<String> personId, long offset, byte[] pcm) {
    this.personId = personId;
    this.offset = offset;
    this.pcm = pcm;
  }

  /** Whose sound it is; absent in a piece of the whole meeting. */
  Optional<String> personId() {
    return personId;
  }

  /** Samples between the beginning of the recording and that of the piece. */
  long offset() {
    return offset;
  }

  byte[] pcm() {
    return pcm;
  }

  /** Samples between the beginning of the recording and the end of the piece. */
  long end() {
    return offset + pcm.length / 2;
  }
}
