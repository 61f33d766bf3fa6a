package io.convoke.server.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cache on a real Redis: versions, generations, and reads that share a request. */
class SyncCacheTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration HOUR = Duration.ofHours(1);

  private final List<AutoCloseable> parts = new ArrayList<>();
  private EmbeddedRedis server;
  private Redis redis;
  private SyncCache cache;

  @BeforeEach
  void open() {
    server = keep(LocalStores.forTests().ownRedis());
    redis = keep(Redis.open(server.url()));
    cache = started(redis, SOON);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable part : parts.reversed()) {
      part.close();
    }
  }

  @Test
  void aNewerVersionReplacesAnOlderOneAndNeverTheOtherWayRound() {
    String before = cache.generation();
    put(2, before);
    put(1, before);
    assertThat(version(cache)).contains(2L);
    refill(1, before);
    assertThat(version(cache)).as("a read from before the update").contains(2L);
    put(3, before);
    assertThat(version(cache)).contains(3L);
  }

  @Test
  void readersThatWaitAtTheSameTimeShareOneRequest() throws Exception {
    put(1, cache.generation());
    long before = cache.requests();
    int readers = 30;
    CountDownLatch done = new CountDownLatch(readers);
    List<Thread> threads = new ArrayList<>();
    server.pause(true);
    try {
      for (int i = 0; i < readers; i++) {
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      if (version(cache).equals(Optional.of(1L))) {
                        done.countDown();
                      }
                    }));
      }
      while (threads.stream().anyMatch(thread -> thread.getState() != Thread.State.WAITING)) {
        LockSupport.parkNanos(10_000_000);
      }
    } finally {
      server.pause(false);
    }
    assertThat(done.await(20, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    assertThat(cache.requests() - before)
        .as("the first reader's, and one for all others")
        .isEqualTo(2);
  }

  @Test
  void aRedisThatComesBackWithOlderValuesIsNotBelieved() {
    put(1, cache.generation());
    try (TestSignal.SignalObservation<String> begun = cache.begun().observe()) {
      server.stop();
      assertThat(version(cache)).isEmpty();
      server.restart();
      String _ = begun.await(_ -> true, SOON);
    }
    assertThat(redis.<String>call(commands -> commands.get("sync_status:m")))
        .contains("\"version\":1");
    SyncCache.Lookup old = cache.get("m");
    assertThat(old.hit()).isEmpty();
    assertThat(old.response()).as("good enough while the database is away").isPresent();
    refill(2, cache.generation());
    assertThat(version(cache)).contains(2L);
  }

  @Test
  void anEmptiedRedisDoesNotTakeWhatWasReadBefore() {
    String before = cache.generation();
    put(2, before);
    try (TestSignal.SignalObservation<String> begun = cache.begun().observe()) {
      server.flush();
      assertThat(version(cache)).isEmpty();
      String _ = begun.await(_ -> true, SOON);
    }
    refill(1, before);
    assertThat(cache.get("m").response()).as("version 2 may have been shown").isEmpty();
    put(2, before);
    assertThat(cache.get("m").response()).as("a marker, as it may be old as well").isEmpty();
    refill(1, cache.generation());
    assertThat(cache.get("m").response()).as("older than the marker").isEmpty();
    refill(2, cache.generation());
    assertThat(version(cache)).contains(2L);
  }

  @Test
  void aGenerationThatAnotherNodeBeginsHoldsForAll() {
    String before = cache.generation();
    put(1, before);
    SyncCache other = started(keep(Redis.open(server.url())), SOON);
    assertThat(cache.get("m").hit()).isEmpty();
    assertThat(cache.generation()).isEqualTo(other.generation()).isNotEqualTo(before);
    assertThat(other.get("m").hit()).isEmpty();
    refill(2, cache.generation());
    // Not confirmed, but executed before what this node reads next.
    assertThat(version(cache)).contains(2L);
    assertThat(version(other)).contains(2L);
  }

  @Test
  void aCommandWithoutAnAnswerBeginsANewGeneration() {
    SyncCache hasty = started(redis, Duration.ofMillis(50));
    hasty.put(List.of(text(1)), hasty.generation());
    assertThat(version(hasty)).contains(1L);
    try (TestSignal.SignalObservation<String> begun = hasty.begun().observe()) {
      server.pause(true);
      try {
        hasty.put(List.of(text(2)), hasty.generation());
        assertThat(hasty.usable()).isFalse();
        assertThat(hasty.get("m")).isEqualTo(SyncCache.Lookup.NONE);
      } finally {
        server.pause(false);
      }
      String _ = begun.await(_ -> hasty.usable(), SOON);
    }
    assertThat(version(hasty)).as("read from Postgres").isEmpty();
  }

  @Test
  void invalidatingRemovesOlderVersionsOnlyAndKeepsThemOut() {
    String generation = cache.generation();
    put(2, generation);
    assertThat(cache.invalidate(Map.of("m", 2L))).isTrue();
    assertThat(version(cache)).contains(2L);
    assertThat(cache.invalidate(Map.of("m", 3L))).isTrue();
    assertThat(cache.get("m").response()).isEmpty();
    refill(2, generation);
    assertThat(cache.get("m").response()).as("a read from before the update").isEmpty();
    refill(3, generation);
    assertThat(version(cache)).contains(3L);
  }

  @Test
  void anIdWithoutAMeetingIsRememberedForAMoment() {
    cache.refill(Map.of("m", Optional.empty()), cache.generation());
    assertThat(cache.get("m").hit()).contains(CachedResponse.UNKNOWN);
    assertThat(redis.<Long>call(commands -> commands.pttl("sync_status:m"))).isBetween(1L, 2_000L);
    put(1, cache.generation());
    assertThat(version(cache)).contains(1L);
  }

  @Test
  void withoutRedisThereIsNothing() {
    SyncCache none = keep(new SyncCache(keep(Redis.open("redis://127.0.0.1:1")), HOUR));
    none.start();
    assertThat(none.get("m")).isEqualTo(SyncCache.Lookup.NONE);
    none.put(List.of(text(1)), none.generation());
    assertThat(none.invalidate(Map.of("m", 1L))).isFalse();
    assertThat(none.usable()).isFalse();
  }

  private SyncCache started(Redis connection, Duration timeout) {
    SyncCache started = keep(new SyncCache(connection, HOUR, timeout));
    try (TestSignal.SignalObservation<String> begun = started.begun().observe()) {
      started.start();
      String _ = begun.await(_ -> started.usable(), SOON);
    }
    return started;
  }

  private void put(long version, String before) {
    cache.put(List.of(text(version)), before);
  }

  private void refill(long version, String before) {
    cache.refill(Map.of("m", Optional.of(text(version).record())), before);
  }

  private static Optional<Long> version(SyncCache cache) {
    return cache.get("m").hit().flatMap(CachedResponse::record).map(SyncRecord::version);
  }

  private static SyncRecordCodec.EncodedSyncRecord text(long version) {
    return SyncRecordCodec.write(
        new SyncRecord(
            "m",
            Optional.empty(),
            SyncStatus.IN_PROGRESS,
            Optional.empty(),
            Optional.empty(),
            1,
            Optional.of("says \"version\":9"),
            version,
            Optional.empty(),
            Optional.empty(),
            1,
            Optional.empty(),
            List.of(),
            Optional.empty(),
            Optional.empty()));
  }

  private <T extends AutoCloseable> T keep(T part) {
    parts.add(part);
    return part;
  }
}
