package io.convoke.client;

import java.time.Instant;
import tools.jackson.databind.node.ObjectNode;

/** A bot to be sent. Immutable. */
public final class NewBot {
  private final ObjectNode body;

  private NewBot(ObjectNode body) {
    this.body = body;
  }

  /** A bot for a meeting by the platform's own name of it. */
  public static NewBot in(String platform, String nativeMeetingId) {
    return new NewBot(ApiJson.MAPPER.createObjectNode().put("platform", platform))
        .with("native_meeting_id", nativeMeetingId);
  }

  /** A bot for a meeting by its address. */
  public static NewBot at(String platform, String meetingUrl) {
    return new NewBot(ApiJson.MAPPER.createObjectNode().put("platform", platform))
        .with("meeting_url", meetingUrl);
  }

  /** The same with another setting of text, as {@code POST /bots/start} names it. */
  public NewBot with(String setting, String value) {
    ObjectNode copy = body.deepCopy();
    copy.put(setting, value);
    return new NewBot(copy);
  }

  /** The same under this name. */
  public NewBot named(String name) {
    return with("bot_name", name);
  }

  /** The same at a later time. */
  public NewBot starting(Instant at) {
    return with("start_at", at.toString());
  }

  /** The same, waiting for a place if none is free. */
  public NewBot queued() {
    ObjectNode copy = body.deepCopy();
    copy.put("queue", true);
    return new NewBot(copy);
  }

  ObjectNode body() {
    return body.deepCopy();
  }
}
