package io.convoke.engine.redis;

import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects when Redis accepts writes again. A connection survives while Redis refuses to write, so
 * only a probe shows when memory is free again: from the first refusal on, it repeats a small write
 * until Redis accepts it. Then {@code ended} runs, as after a connect.
 */
final class WriteRefusalMonitor implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WriteRefusalMonitor.class);
  private static final Duration FIRST = Duration.ofMillis(500);

  /** Between tries while some commands are refused although the probe is not. */
  private static final Duration MOST = Duration.ofSeconds(20);

  /** What the probe found. */
  enum WriteProbeResult {
    /** It was taken, or refused for a reason of its own. */
    TAKEN,
    REFUSED,
    /** No answer; the link's connect will tell. */
    UNANSWERED
  }

  /** Tries a small write. */
  @FunctionalInterface
  interface WriteProbe {
    WriteProbeResult probe() throws InterruptedException;
  }

  private final String name;
  private final WriteProbe writeProbe;
  private final Runnable ended;
  private final AtomicBoolean watching = new AtomicBoolean();
  private final Waiter waiter = new Waiter();
  private volatile boolean refusesAll;
  private volatile Duration wait = FIRST;
  private volatile long endedAt = System.nanoTime() - MOST.toNanos();

  WriteRefusalMonitor(String name, WriteProbe writeProbe, Runnable ended) {
    this.name = name;
    this.writeProbe = writeProbe;
    this.ended = ended;
  }

  /** A command was refused. */
  void onError(RedisErrorReply reply) {
    refusesAll |= reply.isForAllWrites();
    if (!watching.compareAndSet(false, true)) {
      return;
    }
    boolean again = System.nanoTime() - endedAt < MOST.toNanos();
    Duration twice = wait.multipliedBy(2);
    wait = !again ? FIRST : twice.compareTo(MOST) > 0 ? MOST : twice;
    if (again) {
      log.debug("Redis {} refuses again: {}", name, reply.text());
    } else {
      log.warn("Redis {} refuses commands: {}", name, reply.text());
    }
    Thread _ = Thread.ofVirtual().name("redis-refusals").start(this::watch);
  }

  /** Whether every write would be refused, as far as is known. */
  boolean refusesAll() {
    return refusesAll;
  }

  @Override
  public void close() {
    waiter.close();
  }

  private void watch() {
    try {
      Duration next = wait;
      while (waiter.await(next)) {
        next = FIRST;
        if (writeProbe.probe() == WriteProbeResult.TAKEN) {
          endedAt = System.nanoTime();
          // Before the actions: what is refused from now on is watched anew.
          watching.set(false);
          refusesAll = false;
          log.debug("Redis {} takes writes again", name);
          ended.run();
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
