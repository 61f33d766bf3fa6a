package io.convoke.server.http;

import java.util.Locale;

/** What a user may have a limited amount of. */
public enum QuotaName {
  /** Tasks that have not ended. */
  TASKS,
  /** Meetings that are tracked without a bot and have not ended. */
  MEETINGS,
  /** Bots that wait for their start time. */
  SCHEDULES,
  /** Open event streams, of one node. */
  STREAMS,
  /** Webhook endpoints. */
  WEBHOOKS,
  /** Rooms that a Janus has, made by the user or by links of the user. */
  ROOMS,
  /** Bytes of stored recordings. */
  STORED_BYTES;

  /** Its name in a sentence. */
  public String shown() {
    return switch (this) {
      case TASKS -> "open tasks";
      case MEETINGS -> "tracked meetings";
      case SCHEDULES -> "scheduled bots";
      case STREAMS -> "event streams on this node";
      case WEBHOOKS -> "webhook endpoints";
      case ROOMS -> "rooms at Janus";
      case STORED_BYTES -> "stored bytes";
    };
  }

  /** Its name in answers. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
