package io.convoke.server.platform;

import java.util.Optional;

/** One webhook about recordings, understood as far as it can be. */
public sealed interface RecordingNews {

  /** How a recording stands. */
  record Told(RecordingFacts facts) implements RecordingNews {}

  /** A recording of a room failed; the platform names the instance and not the recording. */
  record Failed(String room, Optional<String> instanceId, String words) implements RecordingNews {}

  /** Authentic and not understood. */
  record Unreadable(String reason) implements RecordingNews {}
}
