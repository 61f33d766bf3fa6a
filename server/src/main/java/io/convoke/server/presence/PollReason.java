package io.convoke.server.presence;

import io.convoke.server.presence.merge.ChangeSource;
import java.util.Locale;

/** Why a meeting is polled. */
enum PollReason {
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

  static PollReason of(String text) {
    for (PollReason pollReason : values()) {
      if (pollReason.text().equals(text)) {
        return pollReason;
      }
    }
    return FLAG;
  }

  /** What changes that such a poll finds are counted as. */
  ChangeSource source() {
    return switch (this) {
      case TIMER -> ChangeSource.TIMER;
      case BULK -> ChangeSource.BULK;
      case WEBHOOK, CONFIRM, FLAG, START, RECOVERY -> ChangeSource.POLL;
    };
  }
}
