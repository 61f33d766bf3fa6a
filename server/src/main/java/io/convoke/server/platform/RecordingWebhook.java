package io.convoke.server.platform;

import java.util.Optional;

/** A parsed recording webhook. */
public sealed interface RecordingWebhook {

  /** The state of a recording. */
  record RecordingStatusWebhook(RecordingInfo facts) implements RecordingWebhook {}

  /**
   * The platform met an error in a room, which may be the end of a recording, or of none. It names
   * the instance, which most recordings share, and not the recording.
   */
  record RecordingFailedWebhook(String room, Optional<String> instanceId, String message)
      implements RecordingWebhook {}

  /** Authentic, but cannot be parsed. */
  record UnreadableRecordingWebhook(String reason) implements RecordingWebhook {}
}
