package io.convoke.server.presence.merge;

import io.convoke.server.presence.merge.Decision.Change;
import io.convoke.server.presence.merge.Decision.Moved;
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
 * The stays of one meeting while a merge works on them: remembers how they were, so that the
 * difference is the decision.
 */
final class Stays {

  /** Two times of one join, told by the same bot, differ by less than this. */
  static final Duration SAME = Duration.ofSeconds(2);

  private record Key(String sessionId, Instant joinedAt) {}

  private final Map<Key, Session> before = new LinkedHashMap<>();
  private final Map<String, TreeMap<Instant, Session>> now = new HashMap<>();
  private final Map<Key, Moved> moved = new LinkedHashMap<>();

  Stays(List<Session> known) {
    for (Session session : known) {
      before.put(new Key(session.sessionId(), session.joinedAt()), session);
      put(session);
    }
  }

  void put(Session session) {
    now.computeIfAbsent(session.sessionId(), id -> new TreeMap<>())
        .put(session.joinedAt(), session);
  }

  /**
   * The stay with another begin. It keeps its own while the connection has other stays: they cannot
   * be told apart then.
   */
  Session moved(Session stay, Instant joinedAt, Source source) {
    TreeMap<Instant, Session> stays = Objects.requireNonNull(now.get(stay.sessionId()));
    if (stays.size() > 1) {
      return stay;
    }
    Session begun = stay.began(joinedAt, source);
    stays.clear();
    put(begun);
    Key old = new Key(stay.sessionId(), stay.joinedAt());
    Instant from = Optional.ofNullable(moved.remove(old)).map(Moved::from).orElse(stay.joinedAt());
    if (before.containsKey(new Key(stay.sessionId(), from)) && !from.equals(joinedAt)) {
      moved.put(new Key(stay.sessionId(), joinedAt), new Moved(from, begun));
    }
    return begun;
  }

  /** The newest stay of a connection. */
  Optional<Session> latest(String sessionId) {
    return Optional.ofNullable(now.get(sessionId)).map(stays -> stays.lastEntry().getValue());
  }

  /** The stay that began at this time, give or take the difference of clocks. */
  Optional<Session> at(String sessionId, Instant joinedAt) {
    return Optional.ofNullable(now.get(sessionId)).stream()
        .flatMap(stays -> stays.values().stream())
        .filter(stay -> Duration.between(stay.joinedAt(), joinedAt).abs().compareTo(SAME) <= 0)
        .reduce((earlier, later) -> later);
  }

  List<Session> open() {
    return now.values().stream()
        .flatMap(stays -> stays.values().stream())
        .filter(Session::open)
        .toList();
  }

  Decision decision(Source pollSource, Optional<Instant> confirmAt) {
    List<Session> upserts = new ArrayList<>();
    List<Session> closes = new ArrayList<>();
    List<Change> changes = new ArrayList<>();
    for (TreeMap<Instant, Session> stays : now.values()) {
      for (Session stay : stays.values()) {
        Key key = new Key(stay.sessionId(), stay.joinedAt());
        Optional<Session> was =
            Optional.ofNullable(moved.get(key))
                .map(move -> new Key(stay.sessionId(), move.from()))
                .or(() -> Optional.of(key))
                .map(before::get);
        if (was.filter(stay::equals).isPresent()) {
          continue;
        }
        boolean wasOpen = was.filter(Session::open).isPresent();
        if (was.isPresent() && !stay.open()) {
          closes.add(stay);
        } else {
          upserts.add(stay);
        }
        if (was.isEmpty()) {
          changes.add(new Change.Joined(stay, stay.joinedAt(), stay.joinedSource()));
        } else if (stay.open() && !wasOpen) {
          changes.add(new Change.Joined(stay, stay.joinedAt(), pollSource));
        }
        Optional<Instant> end = stay.leftAt();
        if (end.isPresent() && (was.isEmpty() || wasOpen)) {
          changes.add(new Change.Left(stay, end.get(), stay.leftSource().orElse(pollSource)));
        }
      }
    }
    Comparator<Session> order =
        Comparator.comparing(Session::joinedAt).thenComparing(Session::sessionId);
    upserts.sort(order);
    closes.sort(order);
    changes.sort(
        Comparator.comparing(Change::at)
            .thenComparing(change -> change instanceof Change.Left)
            .thenComparing(change -> change.session().sessionId()));
    return new Decision(
        List.copyOf(moved.values()),
        List.copyOf(upserts),
        List.copyOf(closes),
        List.copyOf(changes),
        open().size(),
        confirmAt);
  }
}
