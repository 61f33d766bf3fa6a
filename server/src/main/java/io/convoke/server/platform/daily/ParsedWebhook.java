package io.convoke.server.platform.daily;

import io.convoke.server.platform.PresenceEvent;

/** A parsed webhook of Daily. */
public sealed interface ParsedWebhook {

  /** A join, a leave, or the begin or end of a meeting. */
  record PresenceWebhook(PresenceEvent event) implements ParsedWebhook {}

  /** A recording webhook; the recordings feature parses the body itself. */
  record RecordingWebhookReceived() implements ParsedWebhook {}

  /** Ignored: the test message of a registration, or an unused type. */
  record IgnoredWebhook(String reason) implements ParsedWebhook {}

  /** Authentic but not parseable: stored as a dead letter, answered 200. */
  record UnreadableWebhook(String reason) implements ParsedWebhook {}
}
