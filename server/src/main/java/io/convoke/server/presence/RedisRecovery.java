package io.convoke.server.presence;

import io.convoke.engine.redis.Redis;
import io.convoke.server.presence.PresenceConfig.ReconcileMode;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers from data loss in Redis. A room map without its generation id is rebuilt from Postgres,
 * and every live meeting is polled once. Flags that other programs set with a plain SET are found
 * by one MGET.
 */
final class RedisRecovery {
  private static final Logger log = LoggerFactory.getLogger(RedisRecovery.class);
  private static final Duration REBUILD_LOCK = Duration.ofSeconds(10);

  /**
   * Interval of the scan for flags of other programs, which are served within 5 s ({@code
   * presence-12}).
   */
  private static final Duration STRAYS_LOCK = Duration.ofSeconds(4);

  private static final Duration AFTER_LOCK = Duration.ofMillis(50);
  private static final int MGET_MAX = 5000;

  /** Shortest time between two bulk ticks that meetings ask for. */
  private static final Duration TICK_SOON = Duration.ofSeconds(5);

  private final Redis redis;
  private final PlatformKeys keys;
  private final RoomMap rooms;
  private final ReadyQueue queue;
  private final MeetingQueries meetings;
  private final PresenceRepository repository;
  private final WebhookInbox webhookInbox;
  private final PresenceTestSignals signals;
  private final ReconcileMode mode;

  RedisRecovery(
      Redis redis,
      RoomMap rooms,
      ReadyQueue queue,
      MeetingQueries meetings,
      PresenceRepository repository,
      WebhookInbox webhookInbox,
      PresenceTestSignals signals,
      PlatformKeys keys,
      ReconcileMode mode) {
    this.redis = redis;
    this.keys = keys;
    this.rooms = rooms;
    this.queue = queue;
    this.meetings = meetings;
    this.repository = repository;
    this.webhookInbox = webhookInbox;
    this.signals = signals;
    this.mode = mode;
  }

  /**
   * Rebuilds the map if it is incomplete; one node does it. {@code tickDue} is called if a bulk
   * tick is due now.
   */
  void rebuildIfForgotten(Runnable tickDue) {
    if (!rooms.known() && locked(keys.of(PresenceKeys.REBUILD_LOCK), REBUILD_LOCK)) {
      rebuild(tickDue);
    }
  }

  /**
   * Recovers at start and after every reconnect: rebuilds the map if needed and drains the inbox.
   * {@code tickDue} is called if a bulk tick is due now.
   */
  void resume(Runnable tickDue) {
    rebuildIfForgotten(tickDue);
    lookAfterFailover(tickDue);
    Set<Long> touched = webhookInbox.drain();
    if (!touched.isEmpty()) {
      queue.request(PollReason.RECOVERY, touched);
    }
  }

  /**
   * Polls the live meetings if Redis failed over or restarted: it may lack the last writes. The new
   * run id is stored only afterwards, so that another node repeats this if this one dies.
   */
  private void lookAfterFailover(Runnable tickDue) {
    String run = redis.runId();
    @Nullable String before = redis.call(commands -> commands.get(keys.of(PresenceKeys.SERVER)));
    if (run.equals(before)) {
      return;
    }
    List<Long> live = rooms.read().stream().map(RoomMap.RoomMapEntry::meeting).toList();
    if (before != null && !live.isEmpty()) {
      log.info("Redis failed over or restarted; polling {} live meetings", live.size());
      proveSoon(live, tickDue);
    }
    String _ = redis.call(commands -> commands.set(keys.of(PresenceKeys.SERVER), run));
  }

  private void rebuild(Runnable tickDue) {
    Set<RoomMap.RoomMapEntry> present = rooms.read();
    List<PresenceMeeting> live = meetings.liveMeetings(keys.platform());
    List<Long> _ = rooms.sync(present, live.stream().map(PresenceMeeting::entry).toList());
    List<Long> ids = live.stream().map(PresenceMeeting::id).toList();
    if (!ids.isEmpty()) {
      repository.open(ids);
      proveSoon(ids, tickDue);
    }
    String generation = UUID.randomUUID().toString();
    rooms.declareWhole(generation);
    // Events that waited for the map can now be routed.
    queue.wake();
    log.info("Room map rebuilt; polling {} live meetings", live.size());
    signals.recovered().emit(generation);
  }

  /**
   * Requests a confirmation of the meetings. A few are polled at once; more are left to an
   * immediate bulk tick, which compares all with one call.
   */
  private void proveSoon(List<Long> ids, Runnable tickDue) {
    if (mode == ReconcileMode.BULK && ids.size() > FirstPollAllowance.BURST) {
      long _ = redis.call(commands -> commands.del(keys.of(PresenceKeys.TICK_LOCK)));
      tickDue.run();
    } else {
      queue.request(PollReason.RECOVERY, ids);
    }
  }

  /** Makes the next bulk tick due, unless meetings asked for one a moment ago. */
  void tickSoon() {
    if (locked(keys.of(PresenceKeys.TICK_SOON), TICK_SOON)) {
      long _ = redis.call(commands -> commands.del(keys.of(PresenceKeys.TICK_LOCK)));
    }
  }

  /** The result of a scan for flags, and when to scan again. */
  record StrayFlagScan(boolean hasLiveMeetings, Duration again) {}

  /** Queues meetings whose flag another program set; one node scans at a time. */
  StrayFlagScan findStrays() {
    if (!locked(keys.of(PresenceKeys.STRAYS_LOCK), STRAYS_LOCK)) {
      long left = redis.call(commands -> commands.pttl(keys.of(PresenceKeys.STRAYS_LOCK)));
      return new StrayFlagScan(true, Duration.ofMillis(Math.max(left, 0)).plus(AFTER_LOCK));
    }
    List<Long> live = rooms.read().stream().map(RoomMap.RoomMapEntry::meeting).toList();
    for (int from = 0; from < live.size(); from += MGET_MAX) {
      List<Long> some = live.subList(from, Math.min(live.size(), from + MGET_MAX));
      Set<Long> flagged = new LinkedHashSet<>();
      String[] flags = some.stream().map(PresenceKeys::flag).toArray(String[]::new);
      redis
          .call(commands -> commands.mget(flags))
          .forEach(
              flag -> {
                if (flag.hasValue()) {
                  flagged.add(
                      Long.parseLong(flag.getKey().substring(PresenceKeys.flag(0).length() - 1)));
                }
              });
      if (!flagged.isEmpty()) {
        queue.request(PollReason.FLAG, flagged);
      }
    }
    return new StrayFlagScan(!live.isEmpty(), STRAYS_LOCK.plus(AFTER_LOCK));
  }

  private boolean locked(String key, Duration duration) {
    String answer =
        redis.call(
            commands -> commands.set(key, "1", SetArgs.Builder.nx().px(duration.toMillis())));
    return "OK".equals(answer);
  }
}
