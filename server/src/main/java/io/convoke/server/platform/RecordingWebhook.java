package io.convoke.server.platform;

import java.util.Optional;

/** A parsed recording webhook. */
public sealed interface RecordingWebhook {

  /** The state of a recording. */
  record RecordingStatusWebhook(RecordingInfo facts) implements RecordingWebhook {}

  /** A recording of a room failed; the platform names the instance and not the recording. */
  record RecordingFailedWebhook(String room, Optional<String> instanceId, String message)
      implements RecordingWebhook {}

  /** Authentic, but cannot be parsed. */
  record UnreadableRecordingWebhook(String reason) implements RecordingWebhook {}
}
