package io.convoke.server.presence;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims due meetings and processes each on its own virtual thread, a bounded number at once.
 * Between claims it blocks on a wake token in Redis, at most until the next meeting is due; it
 * never scans meetings. While Redis is unreachable it claims from the due list in Postgres.
 */
final class PollLoop implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PollLoop.class);

  /** Longest wait while meetings are live; bounds the delay after a lost wake token. */
  private static final Duration LIVE_WAIT = Duration.ofSeconds(5);

  /** Longest wait while no meeting is live. */
  private static final Duration IDLE_WAIT = Duration.ofSeconds(30);

  /** Interval between claims from the due list in Postgres while Redis is unreachable. */
  private static final Duration ALONE_PAUSE = Duration.ofSeconds(1);

  /** How long a claim from the due list lasts. */
  private static final Duration ALONE_TAKEN = Duration.ofSeconds(30);

  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

  private final Redis redis;
  private final ReadyQueue queue;
  private final MeetingPoller poller;
  private final UnroutedEventResolver resolver;
  private final WebhookInbox webhookInbox;
  private final MeetingQueries meetings;
  private final PresenceScheduler presenceScheduler;
  private final String platform;
  private final int concurrency;
  private final Semaphore permits;
  private final AtomicBoolean routingNow = new AtomicBoolean();
  private final Waiter waiter = new Waiter();
  private final Thread thread;
  private volatile @Nullable StatefulRedisConnection<String, String> waiting;

  PollLoop(
      Redis redis,
      ReadyQueue queue,
      MeetingPoller poller,
      UnroutedEventResolver resolver,
      WebhookInbox webhookInbox,
      MeetingQueries meetings,
      PresenceScheduler presenceScheduler,
      String platform,
      int concurrency) {
    this.redis = redis;
    this.queue = queue;
    this.poller = poller;
    this.resolver = resolver;
    this.webhookInbox = webhookInbox;
    this.meetings = meetings;
    this.presenceScheduler = presenceScheduler;
    this.platform = platform;
    this.concurrency = concurrency;
    this.permits = new Semaphore(concurrency);
    this.thread = Thread.ofVirtual().name("presence-loop").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Stops claiming and waits for running work, within a bound. */
  @Override
  public void close() {
    waiter.close();
    StatefulRedisConnection<String, String> connection = waiting;
    if (connection != null) {
      connection.close();
    }
    thread.interrupt();
    try {
      if (!permits.tryAcquire(concurrency, CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("Stopped before all claimed meetings were processed");
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!waiter.closed()) {
      try {
        step();
      } catch (InterruptedException stopped) {
        return;
      } catch (RedisUnavailable | RedisException away) {
        alone();
      } catch (RuntimeException | Error bug) {
        log.error("Poll loop failed; continuing", bug);
        rest();
      }
    }
  }

  /** Claims and processes one meeting, or waits for one. */
  private void step() throws InterruptedException {
    if (!permits.tryAcquire(ReadyQueue.BEAT.toMillis(), TimeUnit.MILLISECONDS)) {
      queue.heartbeat();
      return;
    }
    boolean handedOver = false;
    try {
      poller.end();
      ReadyQueue.NextClaim nextClaim = queue.claim();
      if (nextClaim.unrouted() > 0) {
        route();
      }
      switch (nextClaim) {
        case ReadyQueue.NextClaim.MeetingClaimed(ReadyQueue.MeetingClaim meetingClaim, long _) -> {
          handedOver = true;
          serve(() -> poller.serve(meetingClaim));
        }
        case ReadyQueue.NextClaim.NoMeetingDue(var wait, long unrouted) -> {
          permits.release();
          handedOver = true;
          Duration atMost = longestWait(unrouted);
          queue.await(connection(), wait.filter(it -> it.compareTo(atMost) < 0).orElse(atMost));
        }
      }
    } finally {
      if (!handedOver) {
        permits.release();
      }
    }
  }

  /**
   * Unrouted events are looked at again soon: what routed them, here or on another node, may have
   * read the list for the last time before the newest came, or may have died.
   */
  private Duration longestWait(long unrouted) {
    if (unrouted > 0 || permits.availablePermits() < concurrency) {
      return ReadyQueue.BEAT;
    }
    return presenceScheduler.hasLiveMeetings() ? LIVE_WAIT : IDLE_WAIT;
  }

  private void serve(Runnable task) {
    var _ =
        Thread.ofVirtual()
            .name("presence-work")
            .start(
                () -> {
                  try {
                    task.run();
                  } finally {
                    permits.release();
                  }
                });
  }

  private void route() {
    if (routingNow.compareAndSet(false, true)) {
      var _ =
          Thread.ofVirtual()
              .name("presence-routing")
              .start(
                  () -> {
                    try {
                      if (!resolver.drain()) {
                        presenceScheduler.resume();
                      }
                    } catch (RedisUnavailable | StoreUnavailable | SqlFailure away) {
                      log.info("Routing of events postponed: {}", away.getMessage());
                    } finally {
                      routingNow.set(false);
                    }
                  });
    }
  }

  /** Pauses before a retry; false once closed. */
  private boolean rest() {
    try {
      return waiter.await(ALONE_PAUSE);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * One step without Redis: drains the inbox and polls meetings from the due list in Postgres.
   * Redis counts as unreachable when commands fail, whatever the state of the connection.
   */
  private void alone() {
    disconnect();
    if (!rest()) {
      return;
    }
    try {
      var _ = webhookInbox.drain();
      int free = permits.availablePermits();
      if (free > 0) {
        for (long meeting : meetings.takeDue(platform, ALONE_TAKEN, free)) {
          permits.acquire();
          serve(() -> poller.serveAlone(meeting));
        }
      }
    } catch (StoreUnavailable | SqlFailure away) {
      log.info("Redis is unreachable, and Postgres failed: {}", away.getMessage());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private StatefulRedisConnection<String, String> connection() {
    StatefulRedisConnection<String, String> connection = waiting;
    if (connection == null) {
      connection = redis.dedicated(IDLE_WAIT);
      waiting = connection;
    }
    return connection;
  }

  private void disconnect() {
    StatefulRedisConnection<String, String> connection = waiting;
    waiting = null;
    if (connection != null && connection.isOpen()) {
      connection.close();
    }
  }
}
