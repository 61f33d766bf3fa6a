package io.convoke.server.presence.merge;

import io.convoke.server.platform.PresenceEvent;
import java.util.Locale;

/**
 * The source of a change. Counted separately: if the timer finds all changes and webhooks none,
 * webhooks are broken.
 */
public enum ChangeSource {
  /** A signed event of the platform. */
  WEBHOOK,
  /** A Convoke bot in the room. */
  BOT,
  /** A poll requested by an event, a flag or an earlier poll. */
  POLL,
  /** A poll requested by the timer. */
  TIMER,
  /** A poll requested by the bulk comparison of all rooms. */
  BULK,
  /** The meeting is over. */
  MEETING_END;

  /** Whether it reports the time of the change itself, not a difference found later. */
  boolean exact() {
    return switch (this) {
      case WEBHOOK, BOT -> true;
      case POLL, TIMER, BULK, MEETING_END -> false;
    };
  }

  /** As written in rows and events. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The source of an event. */
  static ChangeSource of(PresenceEvent event) {
    return event.byBot() ? BOT : WEBHOOK;
  }

  public static ChangeSource of(String text) {
    for (ChangeSource changeSource : values()) {
      if (changeSource.text().equals(text)) {
        return changeSource;
      }
    }
    return POLL;
  }
}
