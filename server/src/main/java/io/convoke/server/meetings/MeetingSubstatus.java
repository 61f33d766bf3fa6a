package io.convoke.server.meetings;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * What a bot waits for, more precisely than its status says. No column of its own: an older release
 * sees the status alone.
 */
public enum MeetingSubstatus {
  /** {@code reserved}, and no place is free. */
  QUEUED,
  /** {@code starting}, and the people in the meeting have not let it in yet. */
  AWAITING_ADMISSION;

  /** The columns that {@link #of} reads besides those of the status. */
  static final String COLUMNS = "lobby_since, start_at, queue_until";

  /** The value in JSON. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<MeetingSubstatus> of(
      MeetingStatus status, Optional<String> handle, ResultRow resultRow) {
    Optional<Instant> until = resultRow.maybeInstant("queue_until");
    boolean queued = until.isPresent() && until.equals(resultRow.maybeInstant("start_at"));
    return switch (status) {
      case RESERVED -> Optional.of(QUEUED).filter(_ -> queued && handle.isEmpty());
      case STARTING ->
          Optional.of(AWAITING_ADMISSION)
              .filter(_ -> resultRow.maybeInstant("lobby_since").isPresent());
      case ACTIVE, STOPPING, COMPLETED, FAILED -> Optional.empty();
    };
  }
}
