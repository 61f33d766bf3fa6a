package io.convoke.server.presence;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.journal.JournalSubscription;
import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.presence.PresenceConfig.ReconcileMode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscribes to meeting status changes in the journal: adds a live meeting to the room map and
 * requests its first poll, or a bulk tick for many; removes a terminal one and closes its sessions.
 * The reconciliation timer covers missed events.
 */
final class MeetingJournalFollower implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MeetingJournalFollower.class);
  private static final String SUBJECT = "meeting:";
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Journal journal;
  private final Redis redis;
  private final MeetingQueries meetings;
  private final RoomMap rooms;
  private final ReadyQueue queue;
  private final PresenceRepository repository;
  private final RedisRecovery redisRecovery;
  private final ReconcileMode mode;
  private final FirstPollAllowance allowance = new FirstPollAllowance(System::nanoTime);
  private final BotPresenceSource bots;
  private final PresenceScheduler presenceScheduler;
  private final PresenceTestSignals signals;
  private final PresenceMetrics meters;
  private final PolledPlatform polled;
  private volatile Optional<JournalSubscription> tail = Optional.empty();
  private final PeriodicTask task = new PeriodicTask("presence-follower", RETRY, this::follow);

  MeetingJournalFollower(
      Journal journal,
      Redis redis,
      MeetingQueries meetings,
      RoomMap rooms,
      ReadyQueue queue,
      PresenceRepository repository,
      RedisRecovery redisRecovery,
      ReconcileMode mode,
      BotPresenceSource bots,
      PresenceScheduler presenceScheduler,
      PresenceTestSignals signals,
      PresenceMetrics meters,
      PolledPlatform polled) {
    this.journal = journal;
    this.redis = redis;
    this.meetings = meetings;
    this.rooms = rooms;
    this.queue = queue;
    this.repository = repository;
    this.redisRecovery = redisRecovery;
    this.mode = mode;
    this.bots = bots;
    this.presenceScheduler = presenceScheduler;
    this.signals = signals;
    this.meters = meters;
    this.polled = polled;
  }

  void start() {
    task.start();
  }

  @Override
  public void close() {
    task.close();
    tail.ifPresent(JournalSubscription::close);
  }

  private Duration follow() throws InterruptedException {
    JournalSubscription events = tail.orElse(null);
    if (events == null) {
      events = journal.tail(journal.settled(), changes());
      tail = Optional.of(events);
    }
    followed(events.next(WAIT));
    return Duration.ZERO;
  }

  private static EventFilter changes() {
    return new EventFilter(
        Optional.of("meeting.status_changed"), Optional.empty(), Optional.empty());
  }

  /** Reads all changed meetings with one query. */
  private void followed(List<JournalEvent> events) {
    Map<Long, Long> moves = new LinkedHashMap<>();
    for (JournalEvent journalEvent : events) {
      if (journalEvent.subject().startsWith(SUBJECT)) {
        long id = Long.parseLong(journalEvent.subject().substring(SUBJECT.length()));
        moves.put(id, journalEvent.seq());
      }
    }
    if (!moves.isEmpty()) {
      meet(meetings.byIds(moves.keySet()), moves);
    }
  }

  /**
   * Applies the changes, the ends first: they need no Redis. Of a meeting on a platform that is not
   * polled only the end matters: until then its bot reports.
   */
  private void meet(List<PresenceMeeting> moved, Map<Long, Long> moves) {
    end(moved);
    begin(moved, moves);
  }

  private void begin(List<PresenceMeeting> moved, Map<Long, Long> moves) {
    String platform = polled.client().name();
    List<PresenceMeeting> live =
        moved.stream()
            .filter(PresenceMeeting::live)
            .filter(it -> it.platform().equals(platform))
            .toList();
    if (!live.isEmpty()) {
      List<Long> ids = live.stream().map(PresenceMeeting::id).toList();
      repository.open(ids);
      rooms.add(live.stream().map(PresenceMeeting::entry).toList());
      int polled = mode == ReconcileMode.BULK ? allowance.take(ids.size()) : ids.size();
      queue.begin(ids.stream().limit(polled).collect(Collectors.toMap(id -> id, moves::get)));
      if (polled < ids.size()) {
        redisRecovery.tickSoon();
      }
      presenceScheduler.resume();
    }
  }

  private void end(List<PresenceMeeting> moved) {
    for (PresenceMeeting over :
        moved.stream()
            .filter(PresenceMeeting::terminal)
            .filter(it -> polled.ends(it.platform()))
            .toList()) {
      meters.changed(repository.finish(over.id(), waiting(over.id())).changes());
      if (over.platform().equals(polled.client().name())) {
        forget(over);
      }
      bots.gone(over);
      signals.closed().emit(over.id());
    }
  }

  private void forget(PresenceMeeting over) {
    try {
      rooms.remove(List.of(over.entry()));
    } catch (RedisUnavailable away) {
      log.debug("Redis unreachable: room map not updated; fixed at recovery");
    }
  }

  /** Events that no worker has committed yet. */
  private List<PresenceEvent> waiting(long meeting) {
    try {
      return redis.call(commands -> commands.lrange(PresenceKeys.evidence(meeting), 0, -1)).stream()
          .map(text -> Json.read(text, PresenceEvent.class))
          .toList();
    } catch (RedisUnavailable away) {
      log.debug("Redis unreachable: pending events of meeting {} not read", meeting);
      return List.of();
    }
  }
}
