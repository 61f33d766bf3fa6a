package io.convoke.server.presence;

import io.convoke.server.presence.merge.ChangeSource;
import java.util.Locale;

/** Why a meeting is polled. */
enum PollReason {
  /** A webhook event. */
  WEBHOOK,
  /** The reconciliation timer, which flags every active meeting. */
  TIMER,
  /** The comparison of all rooms in one call found a difference. */
  BULK,
  /** A snapshot contradicted a newer event, or a session was absent for the first time. */
  CONFIRM,
  /** Another program set the flag with a plain SET ({@code presence-12}). */
  FLAG,
  /** The meeting became active. */
  START,
  /** Redis lost data or was unreachable. */
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

  /** The source that changes found by such a poll are counted under. */
  ChangeSource source() {
    return switch (this) {
      case TIMER -> ChangeSource.TIMER;
      case BULK -> ChangeSource.BULK;
      case WEBHOOK, CONFIRM, FLAG, START, RECOVERY -> ChangeSource.POLL;
    };
  }
}
