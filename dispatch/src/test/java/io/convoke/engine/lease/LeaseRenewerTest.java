package io.convoke.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseRenewerTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final LeaseConfig UNHURRIED = terms(120_000, 30_000);
  private static final EmbeddedRedis server = LocalStores.forTests().ownRedis();

  /** Sees what Redis itself holds, whatever the connection under test goes through. */
  private static final RedisClient client = RedisClient.create(server.url());

  private final StatefulRedisConnection<String, String> eye = client.connect();
  private final Redis redis = Redis.open(server.url());
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final LeaseRenewer keeper = new LeaseRenewer(redis, "here", meters);
  private final LeaseRenewer rival = new LeaseRenewer(redis, "there", new SimpleMeterRegistry());

  @BeforeEach
  void empty() {
    server.flush();
  }

  @AfterEach
  void close() {
    server.pause(false);
    keeper.close();
    rival.close();
    redis.close();
    eye.close();
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    server.close();
  }

  @Test
  void oneHoldsTheOthersAreDeniedUntilItIsReleased() {
    Lease lease = keeper.acquire("k", UNHURRIED).orElseThrow();
    assertThat(lease.held()).isTrue();
    assertThat(eye.sync().get("k")).isEqualTo(lease.token()).startsWith("here:");
    assertThat(eye.sync().pttl("k")).isBetween(100_000L, 120_000L);
    assertThat(rival.acquire("k", UNHURRIED)).isEmpty();
    assertThat(keeper.acquire("k", UNHURRIED)).isEmpty();
    lease.close();
    assertThat(eye.sync().exists("k")).isZero();
    assertThat(rival.acquire("k", UNHURRIED)).isPresent();
  }

  @Test
  void epochsGrowAcrossKeysKeepersAndAFlush() {
    List<Long> epochs = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      for (LeaseRenewer each : List.of(keeper, rival)) {
        for (int key = 0; key < 20; key++) {
          String name = each.newToken() + key;
          epochs.add(each.acquire(name, UNHURRIED).orElseThrow().epoch());
        }
      }
      server.flush();
    }
    assertThat(epochs).isSorted().doesNotHaveDuplicates();
  }

  /** The seeds' terms at a hundredth: 120/30 s, 600/60 s and 120/30 s. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"1200, 300", "6000, 600", "1200, 300"})
  void aHeldLeaseIsExtendedBeyondItsTimeout(long timeout, long interval) {
    try (SignalObservation<List<String>> renewed = keeper.renewed().observe()) {
      Lease lease = keeper.acquire("k", terms(timeout, interval)).orElseThrow();
      for (long lived = 0; lived <= timeout; lived += interval) {
        assertThat(renewed.await(LONG)).containsExactly("k");
        assertThat(eye.sync().pttl("k")).isGreaterThan(timeout - interval);
      }
      assertThat(lease.held()).isTrue();
      assertThat(eye.sync().get("k")).isEqualTo(lease.token());
      assertThat(meters.counter("convoke.lease.renewals").count()).isGreaterThanOrEqualTo(4);
    }
  }

  @Tag("nightly")
  @Test
  void fiveThousandLeasesAreRenewedByAFewCalls() {
    int count = 5000;
    LeaseConfig terms = terms(20_000, 4_000);
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      leases.add(keeper.acquire("k" + i, terms).orElseThrow());
    }
    assertThat(meters.get("convoke.lease.held").gauge().value()).isEqualTo(count);
    try (SignalObservation<List<String>> renewed = keeper.renewed().observe()) {
      long callsBefore = scriptCalls();
      int keys = 0;
      while (keys < 2 * count) {
        keys += renewed.await(LONG).size();
      }
      assertThat(scriptCalls() - callsBefore).isBetween(2L * count / 1000, 60L);
    }
    assertThat(leases).allMatch(Lease::held);
    assertThat(eye.sync().dbsize()).isEqualTo(count + 1);
    keeper.close();
    assertThat(eye.sync().dbsize()).isEqualTo(1);
  }

  @Test
  void aStrangerWhoOverwritesTheLockEndsTheLeaseAndKeepsTheLock() throws Exception {
    Lease lease = keeper.acquire("k", terms(1000, 200)).orElseThrow();
    assertLoss(lease, () -> eye.sync().set("k", "stranger", SetArgs.Builder.px(60_000)));
    assertThat(meters.get("convoke.lease.held").gauge().value()).isZero();
    lease.close();
    assertThat(eye.sync().get("k")).isEqualTo("stranger");
    awaitLosses(1);
  }

  @Test
  void releaseDoesNotDeleteAStrangersLock() {
    Lease lease = keeper.acquire("k", UNHURRIED).orElseThrow();
    eye.sync().set("k", "stranger");
    lease.close();
    assertThat(eye.sync().get("k")).isEqualTo("stranger");
  }

  @Test
  void aFlushEndsTheLease() throws Exception {
    Lease lease = keeper.acquire("k", terms(1000, 200)).orElseThrow();
    assertLoss(lease, server::flush);
    assertThat(eye.sync().exists("k")).isZero();
  }

  @Tag("nightly")
  @Test
  void theHolderIsInterruptedBeforeASilentRedisCouldGiveTheLockAway() throws Exception {
    Lease lease = keeper.acquire("k", terms(8000, 1000)).orElseThrow();
    assertLoss(lease, () -> server.pause(true));
    // The lock's own clock went on: it must still keep others out now that the holder is stopping.
    server.pause(false);
    assertThat(eye.sync().pttl("k")).isPositive();
    assertThat(eye.sync().get("k")).isEqualTo(lease.token());
  }

  @Tag("nightly")
  @Test
  void whenRedisIsBackInTimeNothingIsLost() {
    try (SignalObservation<List<String>> failed = keeper.failed().observe();
        SignalObservation<List<String>> renewed = keeper.renewed().observe()) {
      Lease lease = keeper.acquire("k", terms(30_000, 500)).orElseThrow();
      assertThat(renewed.await(LONG)).containsExactly("k");
      server.pause(true);
      assertThat(failed.await(LONG)).containsExactly("k");
      server.pause(false);
      awaitNext(renewed);

      server.kill();
      failed.drain();
      assertThat(failed.await(LONG)).containsExactly("k");
      server.restart();
      awaitNext(renewed);
      assertThat(lease.held()).isTrue();
      assertThat(eye.sync().get("k")).isEqualTo(lease.token());
    }
  }

  @Test
  void aLossListenerThatFailsDoesNotEndTheOthersRenewal() throws Exception {
    Lease doomed = keeper.acquire("doomed", terms(1000, 100)).orElseThrow();
    doomed.onLoss(
        () -> {
          throw new IllegalStateException("must not matter");
        });
    assertLoss(doomed, () -> eye.sync().del("doomed"));
    try (SignalObservation<List<String>> renewed = keeper.renewed().observe()) {
      Lease _ = keeper.acquire("k", terms(1000, 100)).orElseThrow();
      assertThat(renewed.await(LONG)).containsExactly("k");
    }
  }

  @Tag("nightly")
  @Test
  void whatIsReleasedWhileRedisIsAwayIsDeletedWhenItIsBack() {
    Lease lease = keeper.acquire("k", UNHURRIED).orElseThrow();
    Lease lost = keeper.acquire("lost", UNHURRIED).orElseThrow();
    assertThat(lost.lose()).isTrue();
    TestSignal<String> deleted = new TestSignal<>();
    eye.sync().configSet("notify-keyspace-events", "Eg");
    try (SignalObservation<String> gone = deleted.observe();
        Redis.Subscription _ = redis.subscribe("__keyevent@0__:del", deleted::emit)) {
      server.pause(true);
      lease.close();
      lost.close();
      assertThatThrownBy(() -> keeper.acquire("unsure", UNHURRIED))
          .isInstanceOf(RedisUnavailable.class);
      server.pause(false);
      assertThat(List.of(gone.await(LONG), gone.await(LONG))).contains("k", "lost");
    }
    // The connection that was silent may be replaced just now.
    assertThat(acquireWhenBack("k")).isPresent();
    assertThat(acquireWhenBack("lost")).isPresent();
  }

  /** The holder is told first, so that the count may follow what the holder has seen. */
  private void awaitLosses(int count) {
    long since = System.nanoTime();
    while (meters.counter("convoke.lease.losses").count() < count) {
      assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(LONG);
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(meters.counter("convoke.lease.losses").count()).isEqualTo(count);
  }

  private Optional<Lease> acquireWhenBack(String key) {
    long since = System.nanoTime();
    while (true) {
      try {
        return keeper.acquire(key, UNHURRIED);
      } catch (RedisUnavailable e) {
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(LONG);
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  @Test
  void closingInterruptsWhoStillHoldsAndReleasesEverything() {
    Lease idle = keeper.acquire("idle", UNHURRIED).orElseThrow();
    Lease busy = keeper.acquire("busy", UNHURRIED).orElseThrow();
    CountDownLatch working = new CountDownLatch(1);
    CompletableFuture<Void> work = workUntilInterrupted(busy, working);
    await(working);
    keeper.close();
    assertThat(work).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LeaseLost.class);
    assertThat(idle.held()).isFalse();
    assertThat(eye.sync().exists("idle", "busy")).isZero();
    assertThatThrownBy(() -> keeper.acquire("k", UNHURRIED))
        .isInstanceOf(IllegalStateException.class);
    assertThat(rival.acquire("idle", UNHURRIED)).isPresent();
  }

  @Test
  void aLockTakenByAFeaturesOwnScriptIsKeptLikeAnyOther() {
    String token = keeper.newToken();
    long sent = System.nanoTime();
    eye.sync().set("own", token, SetArgs.Builder.nx().px(1000));
    try (SignalObservation<List<String>> renewed = keeper.renewed().observe()) {
      Lease lease = keeper.register("own", token, 42, terms(60_000, 100), sent);
      assertThat(lease.epoch()).isEqualTo(42);
      assertThat(renewed.await(LONG)).containsExactly("own");
      assertThat(eye.sync().pttl("own")).isGreaterThan(1000);
      lease.surrendered();
      assertThat(eye.sync().get("own")).isEqualTo(token);
      assertThat(meters.get("convoke.lease.held").gauge().value()).isZero();
    }
  }

  @Test
  void manyThreadsAtOnceEachGetTheirOwnLockAndOneGetsTheOneThatAllWant() throws Exception {
    Queue<Long> epochs = new ConcurrentLinkedQueue<>();
    AtomicInteger first = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        String own = "own-" + i + "-";
        all.add(
            threads.submit(
                () -> {
                  if (keeper.acquire("wanted", UNHURRIED).isPresent()) {
                    int _ = first.incrementAndGet();
                  }
                  for (int key = 0; key < 20; key++) {
                    try (Lease lease = keeper.acquire(own + key, UNHURRIED).orElseThrow()) {
                      assertThat(eye.sync().get(lease.key())).isEqualTo(lease.token());
                      epochs.add(lease.epoch());
                    }
                  }
                  return true;
                }));
      }
      for (Future<Boolean> one : all) {
        assertThat(one.get()).isTrue();
      }
    }
    assertThat(first).hasValue(1);
    assertThat(epochs).hasSize(64 * 20).doesNotHaveDuplicates();
    assertThat(eye.sync().keys("own-*")).isEmpty();
  }

  /** Two calls are on their way, so this one is not sent yet when its caller gives up. */
  @Test
  void whoIsInterruptedBeforeTheCallIsSentLeavesNoLockBehind() throws Exception {
    server.pause(true);
    List<CompletableFuture<Boolean>> ahead = List.of(tried("a"), tried("b"));
    Thread third = Thread.ofVirtual().unstarted(() -> tryToAcquire("c"));
    third.start();
    third.interrupt();
    assertThat(third.join(LONG)).isTrue();
    server.pause(false);
    for (CompletableFuture<Boolean> each : ahead) {
      assertThat(each.get(20, TimeUnit.SECONDS)).isTrue();
    }
    // Behind it on the same connection, and so is what is asked then.
    assertThat(keeper.acquire("d", UNHURRIED)).isPresent();
    assertThat(redis.<Long>call(commands -> commands.exists("a", "b", "c"))).isEqualTo(2);
  }

  private CompletableFuture<Boolean> tried(String key) {
    return CompletableFuture.supplyAsync(
        () -> tryToAcquire(key), task -> Thread.startVirtualThread(task));
  }

  private boolean tryToAcquire(String key) {
    try {
      return keeper.acquire(key, UNHURRIED).isPresent();
    } catch (RedisUnavailable e) {
      return false;
    }
  }

  private static void awaitNext(SignalObservation<List<String>> renewals) {
    renewals.drain();
    assertThat(renewals.await(LONG)).containsExactly("k");
  }

  private void assertLoss(Lease lease, Runnable cause) throws Exception {
    CountDownLatch working = new CountDownLatch(1);
    CompletableFuture<Void> work = workUntilInterrupted(lease, working);
    await(working);
    cause.run();
    assertThatThrownBy(() -> work.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLost.class);
    assertThat(lease.held()).isFalse();
  }

  private static CompletableFuture<Void> workUntilInterrupted(Lease lease, CountDownLatch working) {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    Thread _ =
        Thread.startVirtualThread(
            () -> {
              try {
                Optional<String> never =
                    lease.guard(
                        () -> {
                          working.countDown();
                          new CountDownLatch(1).await();
                          return Optional.empty();
                        });
                assertThat(never).isEmpty();
                outcome.complete(null);
              } catch (Exception e) {
                outcome.completeExceptionally(e);
              }
            });
    return outcome;
  }

  private long scriptCalls() {
    return eye.sync()
        .info("commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_eval"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("^[^=]*=(\\d+),.*", "$1")))
        .sum();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static LeaseConfig terms(long timeoutMs, long intervalMs) {
    return new LeaseConfig(Duration.ofMillis(timeoutMs), Duration.ofMillis(intervalMs));
  }
}
