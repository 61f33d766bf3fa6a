package io.convoke.server.users;

import io.convoke.server.loop.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Records when keys were last used: once a minute for each key and node, in batches and off the
 * request path. What a crash loses is the last second; at most {@value #MAX_KEYS} keys are
 * remembered, and beyond these a key may be written more often.
 */
final class KeyUseRecorder implements AutoCloseable {
  private static final Duration RESOLUTION = Duration.ofMinutes(1);
  private static final Duration BATCH = Duration.ofSeconds(1);
  static final int MAX_KEYS = 10_000;

  private final InstantSource clock;
  private final Consumer<Map<Long, Instant>> writer;
  private final Map<Long, Instant> recorded = new ConcurrentHashMap<>();
  private final Map<Long, Instant> pending = new ConcurrentHashMap<>();
  private final PeriodicTask task = new PeriodicTask("key-uses", RESOLUTION, this::round);

  /**
   * @param writer stores the times by the number of the key
   */
  KeyUseRecorder(InstantSource clock, Consumer<Map<Long, Instant>> writer) {
    this.clock = clock;
    this.writer = writer;
  }

  void start() {
    task.startAfter(BATCH);
  }

  /** A key was shown and is good. */
  void used(long tokenId) {
    Instant now = clock.instant();
    Instant last = recorded.get(tokenId);
    if (last != null && now.isBefore(last.plus(RESOLUTION))) {
      return;
    }
    if (recorded.size() >= MAX_KEYS) {
      recorded.clear();
    }
    recorded.put(tokenId, now);
    if (pending.size() < MAX_KEYS) {
      pending.put(tokenId, now);
    }
  }

  /** Writes what is pending; without any, no statement is sent. */
  void flush() {
    Map<Long, Instant> batch = Map.copyOf(pending);
    if (!batch.isEmpty()) {
      writer.accept(batch);
      batch.forEach(pending::remove);
    }
  }

  @Override
  public void close() {
    task.close();
  }

  private Duration round() {
    flush();
    return BATCH;
  }
}
