package io.convoke.server.presence;

import io.convoke.server.presence.merge.Source;
import java.util.Locale;

/** Why a meeting is polled. */
enum Trigger {
  /** A signed event asked for it. */
  WEBHOOK,
  /** The reconciliation timer, which flags every active meeting. */
  TIMER,
  /** The comparison of all rooms in one call found a difference. */
  BULK,
  /** A snapshot contradicted younger evidence, or somebody was absent for the first time. */
  CONFIRM,
  /** Somebody set the flag with a plain SET. */
  FLAG,
  /** The meeting became active. */
  START,
  /** Redis forgot, or was away. */
  RECOVERY;

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Trigger of(String text) {
    for (Trigger trigger : values()) {
      if (trigger.text().equals(text)) {
        return trigger;
      }
    }
    return FLAG;
  }

  /** What changes that such a poll finds are counted as. */
  Source source() {
    return switch (this) {
      case TIMER -> Source.TIMER;
      case BULK -> Source.BULK;
      case WEBHOOK, CONFIRM, FLAG, START, RECOVERY -> Source.POLL;
    };
  }
}
