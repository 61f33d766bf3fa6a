package io.convoke.server.presence.merge;

import java.time.Instant;
import java.util.Optional;

/**
 * One stay of one connection in a meeting: a row of {@code participant_sessions}. Somebody who
 * comes back begins a new one.
 *
 * @param joinedAt by the platform's clock; with the session id it names the row
 * @param leftAt empty while the stay goes on
 * @param lastSeenAt the last snapshot that showed it, known from its first absence on
 * @param absentSince the first of the snapshots in a row that did not show it
 * @param hidden the platform never lists it, so absence says nothing
 */
public record ParticipantSession(
    String sessionId,
    Optional<String> userId,
    Optional<String> userName,
    Instant joinedAt,
    Optional<Instant> leftAt,
    ChangeSource joinedSource,
    Optional<ChangeSource> leftSource,
    Optional<Instant> lastSeenAt,
    Optional<Instant> absentSince,
    boolean hidden) {

  static ParticipantSession joined(
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Instant at,
      ChangeSource changeSource,
      boolean hidden) {
    return new ParticipantSession(
        sessionId,
        userId,
        userName,
        at,
        Optional.empty(),
        changeSource,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        hidden);
  }

  public boolean open() {
    return leftAt.isEmpty();
  }

  /** With another begin, told by {@code source}; an end before it moves with it. */
  ParticipantSession began(Instant at, ChangeSource changeSource) {
    return new ParticipantSession(
        sessionId,
        userId,
        userName,
        at,
        leftAt.map(left -> left.isBefore(at) ? at : left),
        changeSource,
        leftSource,
        lastSeenAt,
        absentSince,
        hidden);
  }

  /** Ended at a time that is never before it began. */
  ParticipantSession left(Instant at, ChangeSource changeSource) {
    Instant end = at.isBefore(joinedAt) ? joinedAt : at;
    return new ParticipantSession(
        sessionId,
        userId,
        userName,
        joinedAt,
        Optional.of(end),
        joinedSource,
        Optional.of(changeSource),
        lastSeenAt,
        absentSince,
        hidden);
  }

  /** Open again: it was closed by mistake, the same stay goes on. */
  ParticipantSession reopened() {
    return new ParticipantSession(
        sessionId,
        userId,
        userName,
        joinedAt,
        Optional.empty(),
        joinedSource,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        hidden);
  }

  /** Shown by a snapshot, so it is neither absent nor hidden. */
  ParticipantSession seen() {
    return new ParticipantSession(
        sessionId,
        userId,
        userName,
        joinedAt,
        leftAt,
        joinedSource,
        leftSource,
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /** Missing for the first time. */
  ParticipantSession absent(Instant lastSeen, Instant since) {
    return new ParticipantSession(
        sessionId,
        userId,
        userName,
        joinedAt,
        leftAt,
        joinedSource,
        leftSource,
        Optional.of(lastSeen),
        Optional.of(since),
        hidden);
  }

  /** With a newer name or user where one is known; a null never erases. */
  ParticipantSession known(Optional<String> newUserId, Optional<String> newUserName) {
    return new ParticipantSession(
        sessionId,
        newUserId.or(() -> userId),
        newUserName.or(() -> userName),
        joinedAt,
        leftAt,
        joinedSource,
        leftSource,
        lastSeenAt,
        absentSince,
        hidden);
  }

  ParticipantSession hiddenIf(boolean isHidden) {
    return new ParticipantSession(
        sessionId,
        userId,
        userName,
        joinedAt,
        leftAt,
        joinedSource,
        leftSource,
        lastSeenAt,
        absentSince,
        hidden || isHidden);
  }
}
