package io.convoke.server.presence.merge;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The writes that a merge decided.
 *
 * @param moved known rows whose start time an event corrected; written first, because it is in
 *     their key
 * @param upserts new, reopened or changed rows
 * @param closes known rows with a new or corrected end
 * @param changes the joins and leaves to journal, in order of time
 * @param present number of open sessions afterwards
 * @param confirmAt when another poll can confirm what this one could not
 */
public record MergeDecision(
    List<MovedSession> moved,
    List<ParticipantSession> upserts,
    List<ParticipantSession> closes,
    List<PresenceChange> changes,
    int present,
    Optional<Instant> confirmAt) {

  /**
   * A row whose start time is corrected.
   *
   * @param from the start time in the row
   * @param session the session with the corrected start time
   */
  public record MovedSession(Instant from, ParticipantSession session) {}

  /** A join or a leave. */
  public sealed interface PresenceChange {
    ParticipantSession session();

    Instant at();

    ChangeSource source();

    record Joined(ParticipantSession session, Instant at, ChangeSource source)
        implements PresenceChange {}

    record Left(ParticipantSession session, Instant at, ChangeSource source)
        implements PresenceChange {}
  }
}
