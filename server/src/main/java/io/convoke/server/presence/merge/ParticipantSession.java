package io.convoke.server.presence.merge;

import java.time.Instant;
import java.util.Optional;

/**
 * One session of a participant in a meeting: a row of {@code participant_sessions}. A participant
 * who rejoins gets a new one.
 *
 * @param joinedAt by the platform's clock; with the session id it names the row
 * @param leftAt empty while the session is open
 * @param lastSeenAt the last snapshot that listed it, set from its first absence on
 * @param absentSince the first of the consecutive snapshots that did not list it
 * @param hidden the platform never lists it, so absence proves nothing
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

  /** With another start time, from {@code changeSource}; an earlier end moves with it. */
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

  /** Closed; the end is never before the start. */
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

  /** Reopened after it was closed by mistake. */
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

  /** Listed by a snapshot, so neither absent nor hidden. */
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

  /** Absent from a snapshot for the first time. */
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

  /** With a newer name or user where one is known; an absent value never erases one. */
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
