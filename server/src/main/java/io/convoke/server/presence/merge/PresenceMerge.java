package io.convoke.server.presence.merge;

import io.convoke.server.platform.MeetingAttendance.Attendee;
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
 * Merges three sources into the sessions of a meeting: the stored rows, the signed events, and the
 * platform's snapshots. The rules:
 *
 * <ol>
 *   <li>Events are facts. A join opens a session, a leave closes it at the time it names, in any
 *       order of arrival; a leave without a join records the whole session. The platform's end of a
 *       meeting is the first absence of every session that began before it; a bot's closes them.
 *   <li>A session id of the platform is new for every join, so it names one session. Times in
 *       snapshots are coarse: the start time of an event replaces that of a snapshot, never the
 *       other way round. Only a bot may report an id again after its leave.
 *   <li>Where ids are {@linkplain ConnectionIds#REUSED reused}, a join of an id that left is a new
 *       session, and one of an id that is present proves that its leave was lost. A snapshot shows
 *       a new session of an id only {@link #LAG} after its leave, because two clocks may differ.
 *   <li>A snapshot may be {@link #LAG} old, so it proves nothing about newer events. A listed
 *       participant is present, unless a leave event is newer than the snapshot can be.
 *   <li>Absence needs two complete snapshots at least {@link #LAG} apart. The second is newer than
 *       any join that the first may have missed. The session then ended when it was last seen. A
 *       join that arrives late was absent from the snapshots since.
 *   <li>Partial and unknown responses close nothing. Hidden participants cannot be absent.
 *   <li>For what could not be confirmed, the decision has the time at which a poll can confirm it.
 * </ol>
 *
 * <p>Pure: the same input gives the same decision, and merging again after it was written changes
 * nothing.
 */
public final class PresenceMerge {

  /** Maximum age of the platform's response. Source: Daily's documentation of presence. */
  public static final Duration LAG = Duration.ofSeconds(15);

  /** How long a room may be missing at the platform before its sessions count as over. */
  public static final Duration MISSING_ROOM = Duration.ofMinutes(10);

  /** How much too early a reported end may be: durations come in whole seconds. */
  private static final Duration ROUNDED = Duration.ofSeconds(1);

  /** Margin of a confirming poll for clock skew. */
  public static final Duration SLACK = Duration.ofMillis(250);

  private final SessionSet sessionSet;
  private final Optional<Instant> provenAt;
  private final ChangeSource changeSource;
  private final ConnectionIds ids;
  private @Nullable Instant confirmAt;

  private PresenceMerge(
      SessionSet sessionSet,
      Optional<Instant> provenAt,
      ChangeSource changeSource,
      ConnectionIds ids) {
    this.sessionSet = sessionSet;
    this.provenAt = provenAt;
    this.changeSource = changeSource;
    this.ids = ids;
  }

  /**
   * Merges rows, events and snapshot.
   *
   * @param known every open session of the meeting, and every session whose id the events or the
   *     snapshot mention
   * @param provenAt the last complete snapshot that was applied before
   * @param events in any order, repetitions allowed
   * @param snapshot empty when events alone are committed
   * @param changeSource why the snapshot was taken
   * @param ids what the platform's ids of connections mean
   */
  public static MergeDecision decide(
      List<ParticipantSession> known,
      Optional<Instant> provenAt,
      List<PresenceEvent> events,
      Optional<RoomPresence> snapshot,
      ChangeSource changeSource,
      ConnectionIds ids) {
    PresenceMerge presenceMerge =
        new PresenceMerge(new SessionSet(known), provenAt, changeSource, ids);
    presenceMerge.applyAll(events);
    snapshot.ifPresent(presenceMerge::apply);
    return presenceMerge.sessionSet.decision(
        changeSource, Optional.ofNullable(presenceMerge.confirmAt));
  }

  /**
   * Ends the meeting: applies the pending events as far as they are of its time, closes the open
   * sessions and adds attendees whose session neither events nor snapshots showed.
   */
  public static MergeDecision finish(
      List<ParticipantSession> known,
      List<PresenceEvent> events,
      List<Attendee> attendees,
      Instant end,
      ConnectionIds ids) {
    PresenceMerge presenceMerge =
        new PresenceMerge(new SessionSet(known), Optional.empty(), ChangeSource.MEETING_END, ids);
    presenceMerge.applyAll(
        events.stream()
            .filter(event -> !event.joinedAt().orElse(event.at()).isAfter(end))
            .map(event -> event.atLatest(end))
            .toList());
    for (ParticipantSession session : presenceMerge.sessionSet.open()) {
      Instant left = session.lastSeenAt().filter(end::isAfter).orElse(end);
      presenceMerge.sessionSet.put(session.left(left, ChangeSource.MEETING_END));
    }
    attendees.forEach(presenceMerge::attended);
    return presenceMerge.sessionSet.decision(ChangeSource.MEETING_END, Optional.empty());
  }

  private void attended(Attendee attendee) {
    Participant person = attendee.participant();
    if (sessionSet.latest(person.sessionId()).isEmpty()) {
      sessionSet.put(arrived(person).left(attendee.leftAt(), ChangeSource.MEETING_END));
    }
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
      case ENDED -> ended(event);
    }
  }

  private void joined(PresenceEvent event) {
    Instant at = event.joinedAt().orElse(event.at());
    Optional<ParticipantSession> latest = sessionSet.latest(event.sessionId());
    latest
        .filter(session -> leaveWasLost(session, at))
        .ifPresent(session -> sessionSet.put(session.left(lastSeen(session), ChangeSource.POLL)));
    latest = sessionSet.latest(event.sessionId());
    if (latest.isPresent() && !comesAgain(latest.get(), at, ChangeSource.of(event))) {
      ParticipantSession session = begun(latest.get(), at, ChangeSource.of(event));
      sessionSet.put(session.known(event.userId(), event.userName()).hiddenIf(event.hidden()));
      return;
    }
    sessionSet.put(
        absentSinceSnapshot(
            ParticipantSession.joined(
                event.sessionId(),
                event.userId(),
                event.userName(),
                at,
                ChangeSource.of(event),
                event.hidden())));
  }

  /** True for a rejoin under a session id that left: bots, and some platforms, may reuse ids. */
  private boolean comesAgain(ParticipantSession latest, Instant joinedAt, ChangeSource source) {
    if (source != ChangeSource.BOT && ids == ConnectionIds.UNIQUE) {
      return false;
    }
    Duration same = source == ChangeSource.BOT ? SessionSet.SAME : Duration.ZERO;
    return latest.leftAt().filter(left -> joinedAt.isAfter(left.plus(same))).isPresent();
  }

  /** True when a later join of the same id proves that the open session is over. */
  private boolean leaveWasLost(ParticipantSession session, Instant joinedAt) {
    Duration same = session.joinedSource().exact() ? SessionSet.SAME : LAG;
    return ids == ConnectionIds.REUSED
        && session.open()
        && joinedAt.isAfter(session.joinedAt().plus(same));
  }

  /** The session with the start time of an event, if its present one is from a snapshot. */
  private ParticipantSession begun(ParticipantSession session, Instant at, ChangeSource source) {
    return session.joinedSource().exact() || !source.exact()
        ? session
        : sessionSet.moved(session, at, source);
  }

  /**
   * Handles a late join event: a complete snapshot, too recent to have missed the join, did not
   * list it. That counts as its first absence, so the next poll shows whether a leave was lost.
   */
  private ParticipantSession absentSinceSnapshot(ParticipantSession session) {
    Optional<Instant> absent =
        provenAt.filter(it -> !session.hidden() && !it.isBefore(session.joinedAt().plus(LAG)));
    absent.ifPresent(since -> confirm(since.plus(LAG)));
    return absent.map(since -> session.absent(session.joinedAt(), since)).orElse(session);
  }

  private void left(PresenceEvent event) {
    Instant at = event.at();
    Optional<ParticipantSession> session = endedBy(event);
    if (session.isPresent()) {
      ParticipantSession known =
          event
              .joinedAt()
              .map(began -> begun(session.get(), began, ChangeSource.of(event)))
              .orElseGet(session::get)
              .known(event.userId(), event.userName());
      boolean exact = known.leftSource().filter(ChangeSource::exact).isPresent();
      sessionSet.put(exact ? known : known.left(at, ChangeSource.of(event)));
      return;
    }
    event
        .joinedAt()
        .ifPresent(
            joinedAt ->
                sessionSet.put(
                    ParticipantSession.joined(
                            event.sessionId(),
                            event.userId(),
                            event.userName(),
                            joinedAt,
                            ChangeSource.of(event),
                            event.hidden())
                        .left(at, ChangeSource.of(event))));
  }

  /** The session that a leave event closes; a bot's event may be about an earlier one. */
  private Optional<ParticipantSession> endedBy(PresenceEvent event) {
    Optional<ParticipantSession> latest = sessionSet.latest(event.sessionId());
    if (!event.byBot() && ids == ConnectionIds.UNIQUE) {
      return latest;
    }
    return event
        .joinedAt()
        .map(joinedAt -> sessionSet.at(event.sessionId(), joinedAt))
        .orElseGet(() -> latest.filter(it -> !it.joinedAt().isAfter(event.at())));
  }

  /**
   * Handles the end of a meeting. For the platform that is the end of a session, and a participant
   * may be left in the next one, so it counts as the first absence of everyone who began before.
   */
  private void ended(PresenceEvent event) {
    Instant at = event.at();
    for (ParticipantSession session : sessionSet.open()) {
      if (session.joinedAt().isAfter(at)) {
        continue;
      }
      if (event.byBot() || session.hidden() || session.absentSince().isPresent()) {
        sessionSet.put(session.left(session.lastSeenAt().orElse(at), ChangeSource.MEETING_END));
      } else if (provenAt.filter(proven -> !proven.isBefore(at.plus(LAG))).isEmpty()) {
        sessionSet.put(session.absent(at, at));
        confirm(at.plus(LAG));
      }
    }
  }

  private void apply(RoomPresence snapshot) {
    switch (snapshot) {
      case RoomPresence.RoomPresenceComplete(List<Participant> people, Instant at) -> {
        shown(people, at);
        missing(people, at, LAG);
      }
      case RoomPresence.RoomPresencePartial(List<Participant> people, int total, Instant at) -> {
        shown(people, at);
        confirm(at.plus(LAG));
      }
      case RoomPresence.RoomMissing(Instant at) -> missing(List.of(), at, MISSING_ROOM);
      case RoomPresence.RoomPresenceUnknown roomPresenceUnknown -> {}
    }
  }

  private void shown(List<Participant> people, Instant at) {
    for (Participant person : people) {
      Optional<ParticipantSession> latest = sessionSet.latest(person.sessionId());
      if (latest.isEmpty()) {
        sessionSet.put(arrived(person));
        continue;
      }
      ParticipantSession session = latest.get();
      boolean again = comesAgain(session, person.joinedAt(), changeSource);
      if (again && ids == ConnectionIds.REUSED && mayPredate(session, at)) {
        confirm(session.leftAt().orElse(at).plus(LAG).plus(ROUNDED));
      } else if (again) {
        sessionSet.put(arrived(person));
      } else if (session.open()) {
        sessionSet.put(session.seen().known(person.userId(), person.userName()));
      } else if (mayPredate(session, at)) {
        confirm(session.leftAt().orElse(at).plus(LAG).plus(ROUNDED));
      } else {
        sessionSet.put(session.reopened().known(person.userId(), person.userName()));
      }
    }
  }

  /** True when the snapshot may be from before the session ended. */
  private static boolean mayPredate(ParticipantSession session, Instant at) {
    boolean byEvent =
        session.leftSource().filter(it -> it.exact() || it == ChangeSource.MEETING_END).isPresent();
    return byEvent && at.minus(LAG).minus(ROUNDED).isBefore(session.leftAt().orElse(at));
  }

  private void missing(List<Participant> people, Instant at, Duration bound) {
    Set<String> present = new HashSet<>();
    people.forEach(person -> present.add(person.sessionId()));
    for (ParticipantSession session : sessionSet.open()) {
      if (session.hidden() || present.contains(session.sessionId())) {
        continue;
      }
      // The first snapshot may predate the join; a second absence, so much later, proves the leave.
      if (session.absentSince().isEmpty()) {
        sessionSet.put(session.absent(lastSeen(session), at));
        confirm(at.plus(bound));
      } else if (at.isBefore(session.absentSince().get().plus(bound))) {
        confirm(session.absentSince().get().plus(bound));
      } else {
        sessionSet.put(session.left(session.lastSeenAt().orElse(session.joinedAt()), changeSource));
      }
    }
  }

  /**
   * When the session was last seen: an open session that is not absent was in the last complete
   * snapshot, or began after it.
   */
  private Instant lastSeen(ParticipantSession session) {
    return provenAt.filter(proven -> proven.isAfter(session.joinedAt())).orElse(session.joinedAt());
  }

  private ParticipantSession arrived(Participant person) {
    return ParticipantSession.joined(
        person.sessionId(),
        person.userId(),
        person.userName(),
        person.joinedAt(),
        changeSource,
        false);
  }

  private void confirm(Instant at) {
    Instant when = at.plus(SLACK);
    if (confirmAt == null || when.isBefore(confirmAt)) {
      confirmAt = when;
    }
  }
}
