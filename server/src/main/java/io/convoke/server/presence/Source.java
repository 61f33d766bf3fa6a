package io.convoke.server.presence;

import java.util.Locale;

/**
 * The path on which a change was found. Counted apart, because a fast path that finds nothing while
 * the timer finds everything is broken and would otherwise go unnoticed.
 */
enum Source {
  /** A signed event of the platform. */
  WEBHOOK,
  /** A poll that an event, a flag or an earlier poll asked for. */
  POLL,
  /** A poll that the timer asked for. */
  TIMER,
  /** A poll that the comparison of all rooms asked for. */
  BULK,
  /** The meeting is over. */
  MEETING_END;

  /** As written in rows and events. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Source of(String text) {
    for (Source source : values()) {
      if (source.text().equals(text)) {
        return source;
      }
    }
    return POLL;
  }
}
