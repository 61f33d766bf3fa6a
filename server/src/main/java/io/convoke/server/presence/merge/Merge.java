package io.convoke.server.presence.merge;

import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is in a meeting from three witnesses: our rows, the signed events, and what the
 * platform shows when asked. In English:
 *
 * <ol>
 *   <li>Events are facts. A join opens a stay, a leave closes it at the time it names, whatever
 *       order they arrive in; a leave without a join records the whole visit; the end of the
 *       meeting closes every stay that began before it.
 *   <li>A session id of the platform is new for every join, so it names one stay. The times that a
 *       snapshot tells are coarse: the begin that an event tells replaces one that a snapshot told,
 *       never the other way round. Only a bot may see an id again after its leave.
 *   <li>A snapshot may be {@link #LAG} old, so it proves nothing about younger events. Who is shown
 *       is there, unless an event of a leave is younger than the snapshot can be.
 *   <li>Absence needs two witnesses: two complete snapshots at least {@link #LAG} apart. The second
 *       is younger than any join that the first may have missed. Then the stay ended when it was
 *       last seen. A join that is told late was absent from the snapshots since.
 *   <li>Partial and unknown answers close nothing. Hidden people cannot be absent.
 *   <li>What could not be proved names the time when a poll can prove it.
 * </ol>
 *
 * <p>Pure: the same witnesses give the same decision, and deciding again after it was written
 * changes nothing.
 */
public final class Merge {

  /** How old the platform's answer may be. Source: Daily's documentation of presence. */
  public static final Duration LAG = Duration.ofSeconds(15);

  /** How much too early the end of a stay may be told: its length comes in whole seconds. */
  private static final Duration ROUNDED = Duration.ofSeconds(1);

  /** Added to a confirming poll, for clocks that differ a little. */
  public static final Duration SLACK = Duration.ofMillis(250);

  private final Stays stays;
  private final Optional<Instant> provenAt;
  private final Source source;
  private @Nullable Instant confirmAt;

  private Merge(Stays stays, Optional<Instant> provenAt, Source source) {
    this.stays = stays;
    this.provenAt = provenAt;
    this.source = source;
  }

  /**
   * Merges the witnesses.
   *
   * @param known every open stay of the meeting, and every stay of the connections that events or
   *     snapshot mention
   * @param provenAt the last complete snapshot that was applied before
   * @param events in any order, repetitions allowed
   * @param snapshot empty when events alone are committed
   * @param source why the snapshot was taken
   */
  public static Decision decide(
      List<Session> known,
      Optional<Instant> provenAt,
      List<PresenceEvent> events,
      Optional<RoomPresence> snapshot,
      Source source) {
    Merge merge = new Merge(new Stays(known), provenAt, source);
    merge.applyAll(events);
    snapshot.ifPresent(merge::apply);
    return merge.stays.decision(source, Optional.ofNullable(merge.confirmAt));
  }

  /** Ends the meeting: applies the events that still waited and closes the stays that are open. */
  public static Decision finish(List<Session> known, List<PresenceEvent> events, Instant end) {
    Merge merge = new Merge(new Stays(known), Optional.empty(), Source.MEETING_END);
    merge.applyAll(events);
    for (Session stay : merge.stays.open()) {
      merge.stays.put(stay.left(stay.lastSeenAt().orElse(end), Source.MEETING_END));
    }
    return merge.stays.decision(Source.MEETING_END, Optional.empty());
  }

  private void applyAll(List<PresenceEvent> events) {
    events.stream()
        .sorted(Comparator.comparing(PresenceEvent::at).thenComparing(PresenceEvent::kind))
        .forEach(this::apply);
  }

  private void apply(PresenceEvent event) {
    switch (event.kind()) {
      case STARTED -> {}
      case JOINED -> joined(event);
      case LEFT -> left(event);
      case ENDED -> ended(event.at());
    }
  }

  private void joined(PresenceEvent event) {
    Instant at = event.joinedAt().orElse(event.at());
    Optional<Session> latest = stays.latest(event.sessionId());
    if (latest.isPresent() && !comesAgain(latest.get(), at, Source.of(event))) {
      Session stay = begun(latest.get(), at, Source.of(event));
      stays.put(stay.known(event.userId(), event.userName()).hiddenIf(event.hidden()));
      return;
    }
    stays.put(
        told(
            Session.joined(
                event.sessionId(),
                event.userId(),
                event.userName(),
                at,
                Source.of(event),
                event.hidden())));
  }

  /** True for a session id that a bot saw leave before: what it calls one connection may return. */
  private static boolean comesAgain(Session latest, Instant joinedAt, Source witness) {
    return witness == Source.BOT
        && latest.leftAt().filter(left -> joinedAt.isAfter(left.plus(Stays.SAME))).isPresent();
  }

  /** The stay with the begin that an event tells, if only a snapshot told one before. */
  private Session begun(Session stay, Instant at, Source witness) {
    return stay.joinedSource().exact() || !witness.exact() ? stay : stays.moved(stay, at, witness);
  }

  /**
   * A join that was told late: a complete snapshot, too young to have missed it, did not show it.
   * That was its first absence, so the next look proves whether a leave was lost.
   */
  private Session told(Session stay) {
    Optional<Instant> absent =
        provenAt.filter(it -> !stay.hidden() && !it.isBefore(stay.joinedAt().plus(LAG)));
    absent.ifPresent(since -> confirm(since.plus(LAG)));
    return absent.map(since -> stay.absent(stay.joinedAt(), since)).orElse(stay);
  }

  private void left(PresenceEvent event) {
    Instant at = event.at();
    Optional<Session> stay = endedBy(event);
    if (stay.isPresent()) {
      Session known =
          event
              .joinedAt()
              .map(began -> begun(stay.get(), began, Source.of(event)))
              .orElseGet(stay::get)
              .known(event.userId(), event.userName());
      boolean exact = known.leftSource().filter(Source::exact).isPresent();
      stays.put(exact ? known : known.left(at, Source.of(event)));
      return;
    }
    event
        .joinedAt()
        .ifPresent(
            joinedAt ->
                stays.put(
                    Session.joined(
                            event.sessionId(),
                            event.userId(),
                            event.userName(),
                            joinedAt,
                            Source.of(event),
                            event.hidden())
                        .left(at, Source.of(event))));
  }

  /** The stay that an event of a leave is about; a bot's event may be about an earlier one. */
  private Optional<Session> endedBy(PresenceEvent event) {
    Optional<Session> latest = stays.latest(event.sessionId());
    if (!event.byBot()) {
      return latest;
    }
    return event
        .joinedAt()
        .map(joinedAt -> stays.at(event.sessionId(), joinedAt))
        .orElseGet(() -> latest.filter(it -> !it.joinedAt().isAfter(event.at())));
  }

  private void ended(Instant at) {
    for (Session stay : stays.open()) {
      if (!stay.joinedAt().isAfter(at)) {
        stays.put(stay.left(stay.lastSeenAt().orElse(at), Source.MEETING_END));
      }
    }
  }

  private void apply(RoomPresence snapshot) {
    switch (snapshot) {
      case RoomPresence.Complete(List<Participant> people, Instant at) -> {
        shown(people, at);
        missing(people, at);
      }
      case RoomPresence.Partial(List<Participant> people, int total, Instant at) -> {
        shown(people, at);
        confirm(at.plus(LAG));
      }
      case RoomPresence.Unknown unknown -> {}
    }
  }

  private void shown(List<Participant> people, Instant at) {
    for (Participant person : people) {
      Optional<Session> latest = stays.latest(person.sessionId());
      if (latest.isEmpty()) {
        stays.put(arrived(person));
        continue;
      }
      Session stay = latest.get();
      if (comesAgain(stay, person.joinedAt(), source)) {
        stays.put(arrived(person));
      } else if (stay.open()) {
        stays.put(stay.seen().known(person.userId(), person.userName()));
      } else if (mayPredate(stay, at)) {
        confirm(stay.leftAt().orElse(at).plus(LAG).plus(ROUNDED));
      } else {
        stays.put(stay.reopened().known(person.userId(), person.userName()));
      }
    }
  }

  /** True when the snapshot may show the room as it was before the stay ended. */
  private static boolean mayPredate(Session stay, Instant at) {
    boolean byEvent =
        stay.leftSource().filter(it -> it.exact() || it == Source.MEETING_END).isPresent();
    return byEvent && at.minus(LAG).minus(ROUNDED).isBefore(stay.leftAt().orElse(at));
  }

  private void missing(List<Participant> people, Instant at) {
    Set<String> present = new HashSet<>();
    people.forEach(person -> present.add(person.sessionId()));
    for (Session stay : stays.open()) {
      if (stay.hidden() || present.contains(stay.sessionId())) {
        continue;
      }
      // The first absence may be younger than the join allows: the second, LAG later, proves it.
      if (stay.absentSince().isEmpty()) {
        stays.put(stay.absent(lastSeen(stay), at));
        confirm(at.plus(LAG));
      } else if (at.isBefore(stay.absentSince().get().plus(LAG))) {
        confirm(stay.absentSince().get().plus(LAG));
      } else {
        stays.put(stay.left(stay.lastSeenAt().orElse(stay.joinedAt()), source));
      }
    }
  }

  /** Every open stay that is not absent was in the last complete snapshot, or began after it. */
  private Instant lastSeen(Session stay) {
    return provenAt.filter(proven -> proven.isAfter(stay.joinedAt())).orElse(stay.joinedAt());
  }

  private Session arrived(Participant person) {
    return Session.joined(
        person.sessionId(), person.userId(), person.userName(), person.joinedAt(), source, false);
  }

  private void confirm(Instant at) {
    Instant when = at.plus(SLACK);
    if (confirmAt == null || when.isBefore(confirmAt)) {
      confirmAt = when;
    }
  }
}
