package io.convoke.server.platform;

import java.util.Optional;

/** One webhook about recordings, understood as far as it can be. */
public sealed interface RecordingWebhook {

  /** How a recording stands. */
  record RecordingStatusWebhook(RecordingInfo facts) implements RecordingWebhook {}

  /** A recording of a room failed; the platform names the instance and not the recording. */
  record RecordingFailedWebhook(String room, Optional<String> instanceId, String message)
      implements RecordingWebhook {}

  /** Authentic and not understood. */
  record UnreadableRecordingWebhook(String reason) implements RecordingWebhook {}
}
