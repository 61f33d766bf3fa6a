package io.convoke.server.presence.merge;

import io.convoke.server.presence.merge.MergeDecision.MovedSession;
import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The sessions of one meeting during a merge; keeps the original ones to compute the difference.
 */
final class SessionSet {

  /** Two reports of one join by the same bot differ by less than this. */
  static final Duration SAME = Duration.ofSeconds(2);

  private record SessionKey(String sessionId, Instant joinedAt) {}

  private final Map<SessionKey, ParticipantSession> before = new LinkedHashMap<>();
  private final Map<String, TreeMap<Instant, ParticipantSession>> now = new HashMap<>();
  private final Map<SessionKey, MovedSession> moved = new LinkedHashMap<>();

  SessionSet(List<ParticipantSession> known) {
    for (ParticipantSession participantSession : known) {
      before.put(
          new SessionKey(participantSession.sessionId(), participantSession.joinedAt()),
          participantSession);
      put(participantSession);
    }
  }

  void put(ParticipantSession participantSession) {
    now.computeIfAbsent(participantSession.sessionId(), id -> new TreeMap<>())
        .put(participantSession.joinedAt(), participantSession);
  }

  /**
   * The session with another start time; unchanged if the session id has other sessions, because
   * they could not be distinguished.
   */
  ParticipantSession moved(
      ParticipantSession session, Instant joinedAt, ChangeSource changeSource) {
    TreeMap<Instant, ParticipantSession> sessions =
        Objects.requireNonNull(now.get(session.sessionId()));
    if (sessions.size() > 1) {
      return session;
    }
    ParticipantSession begun = session.began(joinedAt, changeSource);
    sessions.clear();
    put(begun);
    SessionKey old = new SessionKey(session.sessionId(), session.joinedAt());
    Instant from =
        Optional.ofNullable(moved.remove(old)).map(MovedSession::from).orElse(session.joinedAt());
    if (before.containsKey(new SessionKey(session.sessionId(), from)) && !from.equals(joinedAt)) {
      moved.put(new SessionKey(session.sessionId(), joinedAt), new MovedSession(from, begun));
    }
    return begun;
  }

  /** The newest session of a session id. */
  Optional<ParticipantSession> latest(String sessionId) {
    return Optional.ofNullable(now.get(sessionId)).map(sessions -> sessions.lastEntry().getValue());
  }

  /** The session that began at this time, within {@link #SAME}. */
  Optional<ParticipantSession> at(String sessionId, Instant joinedAt) {
    return Optional.ofNullable(now.get(sessionId)).stream()
        .flatMap(sessions -> sessions.values().stream())
        .filter(
            session -> Duration.between(session.joinedAt(), joinedAt).abs().compareTo(SAME) <= 0)
        .reduce((earlier, later) -> later);
  }

  List<ParticipantSession> open() {
    return now.values().stream()
        .flatMap(sessions -> sessions.values().stream())
        .filter(ParticipantSession::open)
        .toList();
  }

  MergeDecision decision(ChangeSource pollSource, Optional<Instant> confirmAt) {
    List<ParticipantSession> upserts = new ArrayList<>();
    List<ParticipantSession> closes = new ArrayList<>();
    List<PresenceChange> changes = new ArrayList<>();
    for (TreeMap<Instant, ParticipantSession> sessions : now.values()) {
      for (ParticipantSession session : sessions.values()) {
        SessionKey sessionKey = new SessionKey(session.sessionId(), session.joinedAt());
        Optional<ParticipantSession> was =
            Optional.ofNullable(moved.get(sessionKey))
                .map(move -> new SessionKey(session.sessionId(), move.from()))
                .or(() -> Optional.of(sessionKey))
                .map(before::get);
        if (was.filter(session::equals).isPresent()) {
          continue;
        }
        boolean wasOpen = was.filter(ParticipantSession::open).isPresent();
        if (was.isPresent() && !session.open()) {
          closes.add(session);
        } else {
          upserts.add(session);
        }
        if (was.isEmpty()) {
          changes.add(
              new PresenceChange.Joined(session, session.joinedAt(), session.joinedSource()));
        } else if (session.open() && !wasOpen) {
          changes.add(new PresenceChange.Joined(session, session.joinedAt(), pollSource));
        }
        Optional<Instant> end = session.leftAt();
        if (end.isPresent() && (was.isEmpty() || wasOpen)) {
          changes.add(
              new PresenceChange.Left(session, end.get(), session.leftSource().orElse(pollSource)));
        }
      }
    }
    Comparator<ParticipantSession> order =
        Comparator.comparing(ParticipantSession::joinedAt)
            .thenComparing(ParticipantSession::sessionId);
    upserts.sort(order);
    closes.sort(order);
    changes.sort(
        Comparator.comparing(PresenceChange::at)
            .thenComparing(presenceChange -> presenceChange instanceof PresenceChange.Left)
            .thenComparing(presenceChange -> presenceChange.session().sessionId()));
    return new MergeDecision(
        List.copyOf(moved.values()),
        List.copyOf(upserts),
        List.copyOf(closes),
        List.copyOf(changes),
        open().size(),
        confirmAt);
  }
}
