package io.convoke.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.EmbeddedRedisCluster;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.stores.RedisFlavor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A cluster of real servers: what goes where, leases of many slots, a move, a master that dies. */
@Tag("nightly")
class ClusterTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final LeaseConfig UNHURRIED =
      new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30));
  private static final LuaScript COUNT =
      LuaScript.of("count", "return redis.call('INCR', KEYS[1])");

  private final TestSignal<String> connects = new TestSignal<>();

  static List<RedisFlavor> kinds() {
    return RedisFlavor.present();
  }

  /** One cluster for all of it: it takes longer to come up than what is asked of it. */
  @ParameterizedTest
  @MethodSource("kinds")
  void aClusterServesKeysLeasesAndChannelsThroughAMoveAndAFailover(RedisFlavor kind) {
    try (EmbeddedRedisCluster cluster = LocalStores.forTests().ownCluster(kind);
        Redis redis = Redis.open(cluster.url());
        Redis other = Redis.open(cluster.url());
        LeaseRenewer keeper = new LeaseRenewer(redis, "here", new SimpleMeterRegistry());
        LeaseRenewer rival = new LeaseRenewer(other, "there", new SimpleMeterRegistry())) {
      scriptsGoWhereTheirKeyIs(cluster, redis);
      partsThatNeedOneRedisAreRefused(redis);
      messagesArriveFromEveryNode(redis, other);
      leasesOfManySlotsAreTakenRenewedAndGivenBack(keeper, rival, other);
      aSlotThatMovesIsAwayUntilItHasArrived(cluster, redis);
      aMasterThatDiesIsReplaced(cluster, redis, keeper, other, rival);
    }
  }

  private static void scriptsGoWhereTheirKeyIs(EmbeddedRedisCluster cluster, Redis redis) {
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 30; i++) {
      String key = "n" + i;
      assertThat(redis.eval(COUNT, List.of(key), List.of())).isEqualTo(1L);
      assertThat(redis.<String>call(key, commands -> commands.get(key))).isEqualTo("1");
      ports.add(cluster.masterOf(redis.slot(key)).port());
    }
    assertThat(ports).hasSize(3);
    assertThat(redis.available()).isTrue();
    assertThat(redis.runId("n1")).startsWith("run_id:");
  }

  private static void partsThatNeedOneRedisAreRefused(Redis redis) {
    assertThatThrownBy(() -> redis.call(commands -> commands.get("n1")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("needs one Redis");
    assertThatThrownBy(redis::async).isInstanceOf(IllegalStateException.class);
  }

  private static void messagesArriveFromEveryNode(Redis redis, Redis other) {
    TestSignal<String> messages = new TestSignal<>();
    try (SignalObservation<String> heard = messages.observe();
        Redis.Subscription _ = redis.subscribe("channel", messages::emit)) {
      // Some of these lie on another node than the one that is listened to.
      for (int i = 0; i < 6; i++) {
        String text = "m" + i;
        long _ = other.call("n" + i, commands -> commands.publish("channel", text));
        assertThat(heard.await(LONG)).isEqualTo(text);
      }
    }
  }

  private static void leasesOfManySlotsAreTakenRenewedAndGivenBack(
      LeaseRenewer keeper, LeaseRenewer rival, Redis eye) {
    List<String> keys = IntStream.range(0, 300).mapToObj(i -> "recording:{" + i + "}").toList();
    LeaseConfig quick = new LeaseConfig(Duration.ofSeconds(3), Duration.ofMillis(600));
    Map<String, Lease> held = new java.util.concurrent.ConcurrentHashMap<>();
    try (SignalObservation<List<String>> renewed = keeper.renewed().observe()) {
      List<CompletableFuture<Void>> taking =
          keys.stream()
              .map(
                  key ->
                      CompletableFuture.runAsync(
                          () -> held.put(key, keeper.acquire(key, quick).orElseThrow()),
                          Thread::startVirtualThread))
              .toList();
      taking.forEach(CompletableFuture::join);
      assertThat(keys).allMatch(key -> rival.acquire(key, UNHURRIED).isEmpty());
      Set<String> extended = new HashSet<>();
      while (extended.size() < keys.size()) {
        extended.addAll(renewed.await(LONG));
      }
    }
    assertThat(held.values()).allMatch(Lease::held);
    held.values().forEach(Lease::close);
    List<Lease> rivals = new ArrayList<>();
    for (String key : keys) {
      Lease lease = rival.acquire(key, UNHURRIED).orElseThrow();
      // Every slot counts for itself, so this is true of each key and of no pair of them.
      assertThat(lease.epoch()).isGreaterThan(Objects.requireNonNull(held.get(key)).epoch());
      rivals.add(lease);
    }
    rivals.forEach(Lease::close);
    assertThat(keys).allMatch(key -> eye.<Long>call(key, commands -> commands.exists(key)) == 0);
  }

  /** Half of a slot at each end: nothing is done at either. */
  private static void aSlotThatMovesIsAwayUntilItHasArrived(
      EmbeddedRedisCluster cluster, Redis redis) {
    String key = "{moving}";
    assertThat(redis.eval(COUNT, List.of(key + "there"), List.of())).isEqualTo(1L);
    EmbeddedRedis from = cluster.masterOf(redis.slot(key));
    EmbeddedRedis to =
        cluster.servers().stream()
            .limit(3)
            .filter(each -> each.port() != from.port())
            .findFirst()
            .orElseThrow();
    cluster.beginMove(redis.slot(key), from, to);
    assertThatThrownBy(() -> redis.eval(COUNT, List.of(key), List.of()))
        .isInstanceOf(RedisUnavailable.class);
    cluster.endMove(redis.slot(key), from, to);
    assertThat(redis.eval(COUNT, List.of(key), List.of())).isEqualTo(1L);
    assertThat(redis.eval(COUNT, List.of(key + "there"), List.of())).isEqualTo(2L);
  }

  private void aMasterThatDiesIsReplaced(
      EmbeddedRedisCluster cluster,
      Redis redis,
      LeaseRenewer keeper,
      Redis other,
      LeaseRenewer rival) {
    String lost = "n1";
    String kept =
        IntStream.range(0, 30)
            .mapToObj(i -> "n" + i)
            .filter(
                key ->
                    cluster.masterOf(redis.slot(key)).port()
                        != cluster.masterOf(redis.slot(lost)).port())
            .findFirst()
            .orElseThrow();
    LeaseConfig terms = new LeaseConfig(Duration.ofSeconds(20), Duration.ofSeconds(1));
    Lease lease = keeper.acquire("{" + lost + "}lock", terms).orElseThrow();
    assertThat(redis.<Long>call(lost, commands -> commands.waitForReplication(1, 2000)))
        .isEqualTo(1);
    try (SignalObservation<String> connected = connects.observe();
        SignalObservation<List<String>> renewed = keeper.renewed().observe()) {
      redis.onConnect(() -> connects.emit("one"));
      assertThat(connected.await(LONG)).isEqualTo("one");
      other.onConnect(() -> connects.emit("other"));
      assertThat(connected.await(LONG)).isEqualTo("other");
      EmbeddedRedis dead = cluster.killMasterOf(redis.slot(lost));
      assertThatThrownBy(() -> redis.eval(COUNT, List.of(lost), List.of()))
          .isInstanceOf(RedisUnavailable.class);
      assertThat(redis.eval(COUNT, List.of(kept), List.of())).isEqualTo(2L);
      Set<String> back = new HashSet<>();
      while (back.size() < 2) {
        back.add(connected.await(LONG));
      }
      assertThat(onceItServes(redis, lost, connected)).isEqualTo(2L);
      // What was replicated is still ours, and is renewed where it is now.
      assertThat(renewed.await(LONG)).containsExactly(lease.key());
      assertThat(rival.acquire(lease.key(), terms)).isEmpty();
      lease.close();
      Lease next = rival.acquire(lease.key(), terms).orElseThrow();
      assertThat(next.epoch()).isGreaterThan(lease.epoch());
      next.close();
      dead.restart();
      cluster.awaitWhole();
      assertThat(redis.eval(COUNT, List.of(lost), List.of())).isEqualTo(3L);
    }
  }

  /** Channels have connections of their own, so not each connect is one to the new master. */
  private static @Nullable Object onceItServes(
      Redis redis, String key, SignalObservation<String> connected) {
    while (true) {
      try {
        return redis.eval(COUNT, List.of(key), List.of());
      } catch (RedisUnavailable e) {
        String _ = connected.await(LONG);
      }
    }
  }
}
