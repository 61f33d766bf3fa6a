package io.convoke.server.presence.merge;

import io.convoke.server.platform.PresenceEvent;
import java.util.Locale;

/**
 * The path on which a change was found. Counted apart, because a fast path that finds nothing while
 * the timer finds everything is broken and would otherwise go unnoticed.
 */
public enum ChangeSource {
  /** A signed event of the platform. */
  WEBHOOK,
  /** A bot of ours that was in the room. */
  BOT,
  /** A poll that an event, a flag or an earlier poll asked for. */
  POLL,
  /** A poll that the timer asked for. */
  TIMER,
  /** A poll that the comparison of all rooms asked for. */
  BULK,
  /** The meeting is over. */
  MEETING_END;

  /** Whether it tells of the moment itself, and not of a difference that was found later. */
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

  /** The path on which an event came. */
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
