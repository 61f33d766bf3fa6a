package io.convoke.server.presence;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.Platform;
import io.convoke.server.presence.MeetingRows.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timer that finds what webhooks missed. One node makes each tick. {@code unconditional} flags
 * every active meeting; {@code bulk} asks once for the whole domain and flags what differs or was
 * not proven within the interval; a bulk tick without an answer is done unconditionally.
 */
final class Reconciler {
  private static final Logger log = LoggerFactory.getLogger(Reconciler.class);
  private static final int UNFINISHED_MAX = 100;

  private final Database database;
  private final MeetingRows meetings;
  private final RoomMap rooms;
  private final ReadyQueue queue;
  private final PresenceRepository repository;
  private final Platform platform;
  private final PresenceTerms terms;
  private final PresenceMeters meters;
  private final PresenceSignals signals;
  private final WebhookHealth webhook;
  private volatile boolean sooner;

  Reconciler(
      Database database,
      MeetingRows meetings,
      RoomMap rooms,
      ReadyQueue queue,
      PresenceRepository repository,
      Platform platform,
      PresenceTerms terms,
      PresenceMeters meters,
      PresenceSignals signals,
      WebhookHealth webhook) {
    this.database = database;
    this.meetings = meetings;
    this.rooms = rooms;
    this.queue = queue;
    this.repository = repository;
    this.platform = platform;
    this.terms = terms;
    this.meters = meters;
    this.signals = signals;
    this.webhook = webhook;
  }

  /** Between two ticks: while the webhook is not healthy they come twice as often. */
  Duration period() {
    return sooner ? terms.urgentTickPeriod() : terms.tickPeriod();
  }

  /** Makes a tick unless another node made it; answers whether there are live meetings. */
  Optional<Boolean> tickIfDue() {
    try {
      WebhookHealth.Turn turn = webhook.turn(terms.tickPeriod(), terms.urgentTickPeriod());
      sooner = turn.sooner();
      if (!turn.mine()) {
        return Optional.empty();
      }
      boolean live = tick();
      webhook.ticked(turn.silent());
      return Optional.of(live);
    } catch (RedisUnavailable | StoreUnavailable | SqlFailure away) {
      log.info("no reconciliation tick: {}", away.getMessage());
      return Optional.empty();
    }
  }

  /** One tick; true when there are live meetings. */
  boolean tick() {
    return switch (terms.mode()) {
      case BULK -> bulk();
      case UNCONDITIONAL -> unconditional();
    };
  }

  /** Closes what the end of a meeting left open, and forgets events that cannot come again. */
  void housekeeping() {
    for (long meeting : meetings.unfinished(UNFINISHED_MAX)) {
      meters.changed(repository.finish(meeting, List.of()).changes());
      signals.closed().emit(meeting);
    }
    int _ =
        database.read(
            tx ->
                tx.sql("delete from presence_events where applied_at < now() - interval '2 hours'")
                    .update());
  }

  private boolean unconditional() {
    Set<RoomMap.Entry> present = rooms.read();
    List<Meeting> live = meetings.live(platform.name());
    begin(rooms.sync(present, live.stream().map(Meeting::entry).toList()));
    flag(Trigger.TIMER, live.stream().map(Meeting::id).toList(), "unconditional");
    return !live.isEmpty();
  }

  private boolean bulk() {
    Set<RoomMap.Entry> present = rooms.read();
    if (present.isEmpty() && meetings.live(platform.name()).isEmpty()) {
      flag(Trigger.BULK, List.of(), "idle");
      return false;
    }
    DomainPresence domain = platform.presence();
    List<Standing> standings = meetings.standings(platform.name(), domain.fetchedAt());
    List<Long> begun =
        rooms.sync(present, standings.stream().map(it -> it.meeting().entry()).toList());
    begin(begun);
    List<Long> all = standings.stream().map(standing -> standing.meeting().id()).toList();
    switch (domain) {
      case DomainPresence.Known known -> {
        Bulk bulk = Bulk.compare(standings, known);
        prove(standings, bulk, known.fetchedAt());
        // What the map had forgotten and what agrees is proven like all others.
        Set<Long> wanted = new HashSet<>(begun);
        bulk.agreeing().forEach(wanted::remove);
        wanted.addAll(bulk.differing());
        wanted.addAll(unproven(standings, bulk, known.fetchedAt()));
        flag(Trigger.BULK, List.copyOf(wanted), "bulk");
      }
      case DomainPresence.Unknown(var outage, Instant _) -> {
        if (!all.isEmpty()) {
          log.info("the domain's presence is unknown ({}), flagging all meetings", outage.cause());
        }
        flag(Trigger.TIMER, all, "fallback");
      }
    }
    return !standings.isEmpty();
  }

  private void begin(List<Long> begun) {
    if (!begun.isEmpty()) {
      repository.open(begun);
    }
  }

  /** Writes a proof once per half interval at most: it is the tick's one write. */
  private void prove(List<Standing> standings, Bulk bulk, Instant at) {
    Instant old = at.minus(period().dividedBy(2));
    Set<Long> agreeing = Set.copyOf(bulk.agreeing());
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

  private List<Long> unproven(List<Standing> standings, Bulk bulk, Instant at) {
    Instant old = at.minus(terms.reconcileInterval());
    Set<Long> agreeing = Set.copyOf(bulk.agreeing());
    return standings.stream()
        .filter(it -> !agreeing.contains(it.meeting().id()))
        .filter(it -> it.provenAt().filter(proven -> proven.isAfter(old)).isEmpty())
        .map(it -> it.meeting().id())
        .toList();
  }

  private void flag(Trigger trigger, List<Long> wanted, String how) {
    if (!wanted.isEmpty()) {
      queue.request(trigger, wanted);
    }
    meters.ticked(how);
    signals.ticked().emit(how);
  }
}
