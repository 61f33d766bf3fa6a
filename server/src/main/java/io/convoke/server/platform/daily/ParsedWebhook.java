package io.convoke.server.platform.daily;

import io.convoke.server.platform.PresenceEvent;

/** What an authentic webhook of Daily says. */
public sealed interface ParsedWebhook {

  /** A join, a leave, or the begin or end of a meeting. */
  record PresenceWebhook(PresenceEvent event) implements ParsedWebhook {}

  /** News of a recording; the recordings feature parses the body itself. */
  record RecordingWebhookReceived() implements ParsedWebhook {}

  /** Nothing to keep: the test message of a registration, or a type that Convoke does not need. */
  record IgnoredWebhook(String reason) implements ParsedWebhook {}

  /** Authentic and not understood: kept as a dead letter, answered 200. */
  record UnreadableWebhook(String reason) implements ParsedWebhook {}
}
