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
 * What Redis cannot be trusted with. A map without its generation id was forgotten: it is rebuilt
 * from Postgres and every live meeting is looked at once. Flags that a stranger set with a plain
 * SET are found by one MGET.
 */
final class RedisRecovery {
  private static final Logger log = LoggerFactory.getLogger(RedisRecovery.class);
  private static final Duration REBUILD_LOCK = Duration.ofSeconds(10);

  /** Between two looks for flags of strangers, which are to be served within 5 s. */
  private static final Duration STRAYS_LOCK = Duration.ofSeconds(4);

  private static final Duration AFTER_LOCK = Duration.ofMillis(50);
  private static final int MGET_MAX = 5000;

  /** What the account's budget lets through at once. */
  private static final int POLLED_MAX = RedisRateLimiter.BURST;

  private final Redis redis;
  private final RoomMap rooms;
  private final ReadyQueue queue;
  private final MeetingQueries meetings;
  private final PresenceRepository repository;
  private final WebhookInbox webhookInbox;
  private final PresenceTestSignals signals;
  private final String platform;
  private final ReconcileMode mode;

  RedisRecovery(
      Redis redis,
      RoomMap rooms,
      ReadyQueue queue,
      MeetingQueries meetings,
      PresenceRepository repository,
      WebhookInbox webhookInbox,
      PresenceTestSignals signals,
      String platform,
      ReconcileMode mode) {
    this.redis = redis;
    this.rooms = rooms;
    this.queue = queue;
    this.meetings = meetings;
    this.repository = repository;
    this.webhookInbox = webhookInbox;
    this.signals = signals;
    this.platform = platform;
    this.mode = mode;
  }

  /** Rebuilds the map if it is not whole; one node does it. */
  void rebuildIfForgotten() {
    if (!rooms.known() && locked(PresenceKeys.REBUILD_LOCK, REBUILD_LOCK)) {
      rebuild();
    }
  }

  /** At the start and after every reconnect: nothing that waited stays behind. */
  void resume() {
    rebuildIfForgotten();
    lookAfterFailover();
    Set<Long> touched = webhookInbox.drain();
    if (!touched.isEmpty()) {
      queue.request(PollReason.RECOVERY, touched);
    }
  }

  /**
   * Looks at what is live if Redis failed over or was started again: it may lack what was accepted
   * in the moment before. Noted only afterwards, so that a node that dies here is no loss.
   */
  private void lookAfterFailover() {
    String run = redis.runId();
    @Nullable String before = redis.call(commands -> commands.get(PresenceKeys.SERVER));
    if (run.equals(before)) {
      return;
    }
    List<Long> live = rooms.read().stream().map(RoomMap.RoomMapEntry::meeting).toList();
    if (before != null && !live.isEmpty()) {
      log.info("another Redis answers, {} live meetings are looked at once", live.size());
      proveSoon(live);
    }
    String _ = redis.call(commands -> commands.set(PresenceKeys.SERVER, run));
  }

  private void rebuild() {
    Set<RoomMap.RoomMapEntry> present = rooms.read();
    List<PresenceMeeting> live = meetings.liveMeetings(platform);
    List<Long> _ = rooms.sync(present, live.stream().map(PresenceMeeting::entry).toList());
    List<Long> ids = live.stream().map(PresenceMeeting::id).toList();
    if (!ids.isEmpty()) {
      repository.open(ids);
      proveSoon(ids);
    }
    String generation = UUID.randomUUID().toString();
    rooms.declareWhole(generation);
    // Events that waited for the map can be routed now.
    queue.wake();
    log.info("built the map of rooms, {} live meetings are looked at once", live.size());
    signals.recovered().emit(generation);
  }

  /**
   * Few meetings are polled at once. So many that the account's budget would be spent for minutes,
   * with fresh events waiting behind them, are left to the next bulk tick: one call compares all.
   */
  private void proveSoon(List<Long> ids) {
    if (mode == ReconcileMode.BULK && ids.size() > POLLED_MAX) {
      long _ = redis.call(commands -> commands.del(PresenceKeys.TICK_LOCK));
    } else {
      queue.request(PollReason.RECOVERY, ids);
    }
  }

  /** What a look for strangers' flags found, and when to look again. */
  record StrayFlagScan(boolean hasLiveMeetings, Duration again) {}

  /** Makes flags that nobody queued due; one node looks at a time. */
  StrayFlagScan findStrays() {
    if (!locked(PresenceKeys.STRAYS_LOCK, STRAYS_LOCK)) {
      long left = redis.call(commands -> commands.pttl(PresenceKeys.STRAYS_LOCK));
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
