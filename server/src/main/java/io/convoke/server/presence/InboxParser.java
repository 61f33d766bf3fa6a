package io.convoke.server.presence;

import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.daily.DailyWebhookParser;
import io.convoke.server.platform.daily.ParsedWebhook;
import io.convoke.server.platform.janus.JanusEventParser;
import io.convoke.server.platform.janus.JanusEventParser.JanusPost;
import java.time.Instant;
import java.util.List;

/** Reads the stored body of a platform's webhook. */
@FunctionalInterface
interface InboxParser {

  /** What a body holds for presence. */
  record InboxContent(List<PresenceEvent> events, List<DeadLetter> letters) {
    public InboxContent {
      events = List.copyOf(events);
      letters = List.copyOf(letters);
    }
  }

  /** Reads a body; {@code receivedAt} stands in for a missing time. */
  InboxContent read(byte[] body, Instant receivedAt);

  /** Daily's webhooks; those of recordings have an inbox of their own. */
  static InboxContent daily(byte[] body, Instant receivedAt) {
    return switch (DailyWebhookParser.parse(body, receivedAt)) {
      case ParsedWebhook.PresenceWebhook(PresenceEvent event) ->
          new InboxContent(List.of(event), List.of());
      case ParsedWebhook.UnreadableWebhook(String reason) ->
          new InboxContent(List.of(), List.of(DeadLetter.of(reason, body)));
      case ParsedWebhook.RecordingWebhookReceived _, ParsedWebhook.IgnoredWebhook _ ->
          new InboxContent(List.of(), List.of());
    };
  }

  /** Posts of Janus' event handler. */
  static InboxContent janus(byte[] body, Instant receivedAt) {
    return switch (JanusEventParser.parse(body, receivedAt)) {
      case JanusPost.JanusEventsRead(List<PresenceEvent> events) ->
          new InboxContent(events, List.of());
      case JanusPost.UnreadablePost(String reason) ->
          new InboxContent(List.of(), List.of(DeadLetter.of(reason, body)));
    };
  }
}
