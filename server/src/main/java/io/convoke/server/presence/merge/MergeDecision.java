package io.convoke.server.presence.merge;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a merge wants written.
 *
 * @param moved known rows whose begin an event corrected; written first, because it is in their key
 * @param upserts new, reopened or changed rows as they shall be
 * @param closes known rows with their end; those that only get a better end included
 * @param changes what others are told, in the order it happened
 * @param present how many are there then
 * @param confirmAt when another poll can prove what this one could not
 */
public record MergeDecision(
    List<MovedSession> moved,
    List<ParticipantSession> upserts,
    List<ParticipantSession> closes,
    List<PresenceChange> changes,
    int present,
    Optional<Instant> confirmAt) {

  /**
   * A row that begins at another time than was written.
   *
   * @param from the begin in the row
   * @param stay with its right begin
   */
  public record MovedSession(Instant from, ParticipantSession stay) {}

  /** Somebody came or went. */
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
