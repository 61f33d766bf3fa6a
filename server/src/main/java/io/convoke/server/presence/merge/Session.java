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
public record Session(
    String sessionId,
    Optional<String> userId,
    Optional<String> userName,
    Instant joinedAt,
    Optional<Instant> leftAt,
    Source joinedSource,
    Optional<Source> leftSource,
    Optional<Instant> lastSeenAt,
    Optional<Instant> absentSince,
    boolean hidden) {

  static Session joined(
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Instant at,
      Source source,
      boolean hidden) {
    return new Session(
        sessionId,
        userId,
        userName,
        at,
        Optional.empty(),
        source,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        hidden);
  }

  public boolean open() {
    return leftAt.isEmpty();
  }

  /** With another begin, told by {@code source}; an end before it moves with it. */
  Session began(Instant at, Source source) {
    return new Session(
        sessionId,
        userId,
        userName,
        at,
        leftAt.map(left -> left.isBefore(at) ? at : left),
        source,
        leftSource,
        lastSeenAt,
        absentSince,
        hidden);
  }

  /** Ended at a time that is never before it began. */
  Session left(Instant at, Source source) {
    Instant end = at.isBefore(joinedAt) ? joinedAt : at;
    return new Session(
        sessionId,
        userId,
        userName,
        joinedAt,
        Optional.of(end),
        joinedSource,
        Optional.of(source),
        lastSeenAt,
        absentSince,
        hidden);
  }

  /** Open again: it was closed by mistake, the same stay goes on. */
  Session reopened() {
    return new Session(
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
  Session seen() {
    return new Session(
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
  Session absent(Instant lastSeen, Instant since) {
    return new Session(
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
  Session known(Optional<String> newUserId, Optional<String> newUserName) {
    return new Session(
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

  Session hiddenIf(boolean isHidden) {
    return new Session(
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
