package io.convoke.server.presence;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.presence.MeetingQueries.MeetingPresenceSummary;
import io.convoke.server.presence.MeetingQueries.UnobservedMeeting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timer that finds changes webhooks missed. One node runs each tick. Mode {@code unconditional}
 * flags every active meeting; {@code bulk} queries the whole domain with one call and flags
 * meetings that differ or were not confirmed within the interval. If that call fails, the tick is
 * unconditional.
 */
final class Reconciler {
  private static final Logger log = LoggerFactory.getLogger(Reconciler.class);
  private static final int CLOSED_AT_ONCE = 100;

  /** Longest wait after a tick that failed. */
  static final Duration RETRY = Duration.ofSeconds(5);

  private final Database database;
  private final MeetingQueries meetings;
  private final RoomTracking tracking;
  private final RoomMap rooms;
  private final ReadyQueue queue;
  private final PresenceRepository repository;
  private final BotPresenceSource bots;
  private final WebhookDeadLetterStore deadLetterStore;
  private final PlatformClient platformClient;
  private final PresenceConfig terms;
  private final PresenceMetrics meters;
  private final PresenceTestSignals signals;
  private final WebhookHealth webhook;
  private volatile boolean sooner;
  private volatile boolean watching;

  /** Whether Redis may still hold this node's claim of a tick that failed. */
  private volatile boolean claimLeft;

  Reconciler(
      Database database,
      MeetingQueries meetings,
      RoomTracking tracking,
      RoomMap rooms,
      ReadyQueue queue,
      PresenceRepository repository,
      BotPresenceSource bots,
      WebhookDeadLetterStore deadLetterStore,
      PlatformClient platformClient,
      PresenceConfig terms,
      PresenceMetrics meters,
      PresenceTestSignals signals,
      WebhookHealth webhook) {
    this.database = database;
    this.meetings = meetings;
    this.tracking = tracking;
    this.rooms = rooms;
    this.queue = queue;
    this.repository = repository;
    this.bots = bots;
    this.deadLetterStore = deadLetterStore;
    this.platformClient = platformClient;
    this.terms = terms;
    this.meters = meters;
    this.signals = signals;
    this.webhook = webhook;
  }

  /** Time between two ticks; shorter while the webhook is unhealthy. */
  Duration period() {
    return sooner ? terms.urgentTickPeriod() : terms.tickPeriod();
  }

  /** Wait of a node after a tick of it failed. */
  Duration retry() {
    Duration period = period();
    return period.compareTo(RETRY) < 0 ? period : RETRY;
  }

  /**
   * Whether ticks look for visits to rooms with a rule, as far as this node knows; only a list of
   * all rooms tells of a room without a meeting.
   */
  boolean watchesRooms() {
    return watching;
  }

  /** Asks the database whether any room has a rule. */
  void readRules() {
    watching = terms.mode() == PresenceConfig.ReconcileMode.BULK && tracking.watches();
  }

  /**
   * Runs a tick unless another node did; returns whether there are live meetings. One that fails is
   * due again after {@link #retry}, not after its period.
   */
  Optional<Boolean> tickIfDue() {
    if (claimLeft) {
      webhook.tickFailed(Duration.ZERO);
      claimLeft = false;
    }
    WebhookHealth.HealthCheckTurn healthCheckTurn =
        webhook.turn(terms.tickPeriod(), terms.urgentTickPeriod());
    sooner = healthCheckTurn.sooner();
    if (!healthCheckTurn.mine()) {
      return Optional.empty();
    }
    try {
      boolean live = tick();
      webhook.ticked(healthCheckTurn.silent());
      return Optional.of(live);
    } catch (RuntimeException failure) {
      // Stays true if Redis is away now.
      claimLeft = true;
      webhook.tickFailed(retry());
      claimLeft = false;
      throw failure;
    }
  }

  /** One tick; true when there are live meetings. */
  boolean tick() {
    return switch (terms.mode()) {
      case BULK -> bulk();
      case UNCONDITIONAL -> unconditional();
    };
  }

  /**
   * Closes sessions left open by terminal meetings and by bots that are gone, and deletes old event
   * ids and dead letters.
   */
  void housekeeping() {
    List<Long> unfinished = meetings.unfinished(0, CLOSED_AT_ONCE);
    while (!unfinished.isEmpty()) {
      unfinished.forEach(meeting -> close(meeting, () -> finish(meeting)));
      unfinished = meetings.unfinished(unfinished.getLast(), CLOSED_AT_ONCE);
    }
    List<UnobservedMeeting> unobserved = bots.unobserved(0, CLOSED_AT_ONCE);
    while (!unobserved.isEmpty()) {
      unobserved.forEach(meeting -> close(meeting.meeting().id(), () -> bots.close(meeting)));
      unobserved = bots.unobserved(unobserved.getLast().meeting().id(), CLOSED_AT_ONCE);
    }
    int _ =
        database.read(
            tx ->
                tx.sql("delete from presence_events where applied_at < now() - interval '2 hours'")
                    .update());
    deadLetterStore.prune();
  }

  private void finish(long meeting) {
    meters.changed(repository.finish(meeting, List.of()).changes());
    signals.closed().emit(meeting);
  }

  /** A meeting whose sessions cannot be closed keeps no other from it. */
  private static void close(long meeting, Runnable closing) {
    try {
      closing.run();
    } catch (StoreUnavailable away) {
      throw away;
    } catch (RuntimeException failure) {
      log.error("The sessions of meeting {} cannot be closed", meeting, failure);
    }
  }

  private boolean unconditional() {
    Set<RoomMap.RoomMapEntry> present = rooms.read();
    List<PresenceMeeting> live = meetings.liveMeetings(platformClient.name());
    begin(rooms.sync(present, live.stream().map(PresenceMeeting::entry).toList()));
    flag(PollReason.TIMER, live.stream().map(PresenceMeeting::id).toList(), "unconditional");
    return !live.isEmpty();
  }

  private boolean bulk() {
    Set<RoomMap.RoomMapEntry> present = rooms.read();
    readRules();
    if (!watching && present.isEmpty() && meetings.liveMeetings(platformClient.name()).isEmpty()) {
      flag(PollReason.BULK, List.of(), "idle");
      return false;
    }
    DomainPresence domain = platformClient.presence();
    List<MeetingPresenceSummary> standings =
        meetings.presenceSummaries(platformClient.name(), domain.fetchedAt());
    List<Long> begun =
        rooms.sync(present, standings.stream().map(it -> it.meeting().entry()).toList());
    begin(begun);
    List<Long> all =
        standings.stream()
            .map(meetingPresenceSummary -> meetingPresenceSummary.meeting().id())
            .toList();
    switch (domain) {
      case DomainPresence.DomainPresenceKnown domainPresenceKnown -> {
        DomainDiff domainDiff = DomainDiff.compare(standings, domainPresenceKnown);
        prove(standings, domainDiff, domainPresenceKnown.fetchedAt());
        // A meeting that was missing in the map but agrees needs no poll.
        Set<Long> wanted = new HashSet<>(begun);
        domainDiff.agreeing().forEach(wanted::remove);
        wanted.addAll(domainDiff.differing());
        wanted.addAll(unproven(standings, domainDiff, domainPresenceKnown.fetchedAt()));
        flag(PollReason.BULK, List.copyOf(wanted), "bulk");
        trackVisits(standings, domainPresenceKnown);
      }
      case DomainPresence.DomainPresenceUnknown(var platformError, Instant _) -> {
        if (!all.isEmpty()) {
          log.info("Bulk presence call failed ({}); flagging all meetings", platformError.cause());
        }
        flag(PollReason.TIMER, all, "fallback");
      }
    }
    return !standings.isEmpty();
  }

  /** Begins meetings in rooms with a rule; the journal follower then polls them. */
  private void trackVisits(
      List<MeetingPresenceSummary> standings, DomainPresence.DomainPresenceKnown domain) {
    if (!watching) {
      return;
    }
    Set<String> live = new HashSet<>();
    standings.forEach(it -> live.add(it.meeting().room()));
    List<RoomTracking.RoomVisit> visits = new ArrayList<>();
    domain
        .rooms()
        .forEach(
            (room, people) -> {
              if (!live.contains(room)) {
                people.forEach(person -> visits.add(visit(room, person)));
              }
            });
    Set<String> _ =
        tracking.track(platformClient.name(), visits, RoomTracking.VisitSource.SNAPSHOT);
  }

  private static RoomTracking.RoomVisit visit(String room, Participant person) {
    return new RoomTracking.RoomVisit(
        room, person.sessionId(), person.joinedAt(), person.platformSession());
  }

  private void begin(List<Long> begun) {
    if (!begun.isEmpty()) {
      repository.open(begun);
    }
  }

  /** Marks agreeing meetings as confirmed, at most once per half period each. */
  private void prove(List<MeetingPresenceSummary> standings, DomainDiff domainDiff, Instant at) {
    Instant old = at.minus(period().dividedBy(2));
    Set<Long> agreeing = Set.copyOf(domainDiff.agreeing());
    List<Long> due =
        standings.stream()
            .filter(it -> agreeing.contains(it.meeting().id()))
            .filter(it -> it.provenAt().filter(proven -> proven.isAfter(old)).isEmpty())
            .map(it -> it.meeting().id())
            .toList();
    if (!due.isEmpty()) {
      repository.prove(due, at);
    }
  }

  private List<Long> unproven(
      List<MeetingPresenceSummary> standings, DomainDiff domainDiff, Instant at) {
    Instant old = at.minus(terms.reconcileInterval());
    Set<Long> agreeing = Set.copyOf(domainDiff.agreeing());
    return standings.stream()
        .filter(it -> !agreeing.contains(it.meeting().id()))
        .filter(it -> it.provenAt().filter(proven -> proven.isAfter(old)).isEmpty())
        .map(it -> it.meeting().id())
        .toList();
  }

  private void flag(PollReason pollReason, List<Long> wanted, String how) {
    if (!wanted.isEmpty()) {
      queue.request(pollReason, wanted);
    }
    meters.recordTick(how);
    signals.ticked().emit(how);
  }
}
