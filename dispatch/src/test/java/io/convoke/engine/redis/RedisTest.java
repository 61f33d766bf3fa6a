package io.convoke.engine.redis;

import static io.lettuce.core.codec.StringCodec.UTF8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RedisTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();

  private final TestSignal<String> connects = new TestSignal<>();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aScriptAnswersWhatItReturns() {
    try (Redis redis = Redis.open(server.url())) {
      assertThat(eval(redis, "return 7")).isEqualTo(7L);
      assertThat(eval(redis, "return 'text'")).isEqualTo("text");
      assertThat(eval(redis, "return {1, 'a', {2}}")).isEqualTo(List.of(1L, "a", List.of(2L)));
      assertThat(eval(redis, "return nil")).isNull();
      assertThat(redis.eval(script("return {KEYS[2], ARGV[1]}"), List.of("k1", "k2"), List.of("a")))
          .isEqualTo(List.of("k2", "a"));
    }
  }

  @Test
  void aScriptThatRedisForgotIsSentAgain() {
    try (Redis redis = Redis.open(server.url())) {
      LuaScript luaScript = script("return redis.call('INCR', KEYS[1])");
      assertThat(redis.eval(luaScript, List.of("n"), List.of())).isEqualTo(1L);
      String _ = redis.call(commands -> commands.scriptFlush());
      assertThat(redis.eval(luaScript, List.of("n"), List.of())).isEqualTo(2L);
      assertThat(redis.eval(luaScript, List.of("n"), List.of())).isEqualTo(3L);
    }
  }

  @Test
  void anErrorOfAScriptIsNotTakenForAnAbsentRedis() {
    try (Redis redis = Redis.open(server.url())) {
      assertThatThrownBy(() -> eval(redis, "return redis.call('INCR')"))
          .isInstanceOf(RedisCommandExecutionException.class);
    }
  }

  @Test
  void awayAtTheStartItFailsFastAndServesWhenItComes() {
    server.stop();
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> connected = connects.observe()) {
      redis.onConnect(() -> connects.emit("connected"));
      assertUnavailable(redis);
      // Only the first attempt is waited for: a crowd of callers is turned away at once.
      long before = System.nanoTime();
      List<CompletableFuture<Throwable>> crowd = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        crowd.add(failure(redis));
      }
      assertThat(crowd)
          .allSatisfy(each -> assertThat(each.join()).isInstanceOf(RedisUnavailable.class));
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(1));
      assertThatThrownBy(() -> redis.dedicated(Duration.ofSeconds(1)))
          .isInstanceOf(RedisUnavailable.class);
      assertThat(redis.available()).isFalse();

      server.restart();
      assertThat(connected.await(LONG)).isEqualTo("connected");
      assertThat(eval(redis, "return 1")).isEqualTo(1L);
      assertThat(redis.available()).isTrue();
    }
  }

  @Test
  void afterARestartItServesAgainAndSaysSo() {
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> connected = connects.observe()) {
      assertThat(eval(redis, "return 1")).isEqualTo(1L);
      redis.onConnect(
          () -> {
            connects.emit("failing");
            throw new IllegalStateException("must not matter");
          });
      redis.onConnect(() -> connects.emit("connected"));
      assertThat(connected.await("connected"::equals, LONG)).isEqualTo("connected");

      server.kill();
      assertUnavailable(redis);
      server.restart();
      assertThat(connected.await("connected"::equals, LONG)).isEqualTo("connected");
      assertThat(eval(redis, "return 2")).isEqualTo(2L);
    }
  }

  @Tag("nightly")
  @Test
  void aSilentRedisCostsABoundedTimeThenNoneAndIsLeftForAnotherConnection() {
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> connected = connects.observe()) {
      assertThat(eval(redis, "return 1")).isEqualTo(1L);
      redis.onConnect(() -> connects.emit("connected"));
      assertThat(connected.await(LONG)).isEqualTo("connected");
      server.pause(true);
      long before = System.nanoTime();
      while (redis.available()) {
        long sent = System.nanoTime();
        assertThatThrownBy(() -> eval(redis, "return 1")).isInstanceOf(RedisUnavailable.class);
        assertThat(Duration.ofNanos(System.nanoTime() - sent)).isLessThan(Duration.ofSeconds(3));
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(LONG);
      }
      long silent = System.nanoTime();
      assertUnavailable(redis);
      assertThat(Duration.ofNanos(System.nanoTime() - silent)).isLessThan(Duration.ofMillis(500));

      server.pause(false);
      assertThat(connected.await(LONG)).isEqualTo("connected");
      assertThat(eval(redis, "return 2")).isEqualTo(2L);
    } finally {
      server.pause(false);
    }
  }

  @Test
  void aBlockingCommandOnItsOwnConnectionMayTakeLongerThanAnOrdinaryOne() {
    try (Redis redis = Redis.open(server.url());
        StatefulRedisConnection<String, String> own = redis.dedicated(Duration.ofSeconds(3))) {
      assertThat(own.sync().blpop(2.5, "empty")).isNull();
      assertThat(eval(redis, "return 1")).isEqualTo(1L);
    }
  }

  @Tag("nightly")
  @Test
  void anIdleConnectionSendsNothingAndABusyOneWithoutRepliesIsProbed() {
    try (Redis redis = Redis.open(server.url());
        StatefulRedisConnection<String, String> own = redis.dedicated(Duration.ofSeconds(7))) {
      assertThat(eval(redis, "return 1")).isEqualTo(1L);
      long before = pings(own);
      // Longer than a pulse, waited for in Redis itself.
      assertThat(own.sync().blpop(6.0, "empty")).isNull();
      assertThat(pings(own)).isEqualTo(before);
      assertThat(redis.async().get("nothing").toCompletableFuture().join()).isNull();
      long asked = System.nanoTime();
      while (pings(own) == before) {
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(LONG);
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  @Test
  void aRedisThatRefusesWritesCountsAsAwayUntilItTakesThem() {
    LuaScript write = script("return redis.call('SET', KEYS[1], ARGV[1])");
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> connected = connects.observe()) {
      assertThat(redis.eval(write, List.of("k"), List.of("before"))).isEqualTo("OK");
      redis.onConnect(() -> connects.emit("connected"));
      assertThat(connected.await(LONG)).isEqualTo("connected");
      String _ = redis.call(commands -> commands.configSet("maxmemory", "1"));
      assertThatThrownBy(() -> redis.eval(write, List.of("k"), List.of("full")))
          .isInstanceOf(RedisUnavailable.class)
          .hasMessageContaining("OOM");
      assertThatThrownBy(() -> redis.call(commands -> commands.set("k", "full")))
          .isInstanceOf(RedisUnavailable.class);
      assertThat(redis.available()).isFalse();
      // What was kept can be read all the time.
      assertThat(redis.<@Nullable String>call(commands -> commands.get("k"))).isEqualTo("before");

      String _ = redis.call(commands -> commands.configSet("maxmemory", "0"));
      assertThat(connected.await(LONG)).isEqualTo("connected");
      assertThat(redis.available()).isTrue();
      assertThat(redis.eval(write, List.of("k"), List.of("after"))).isEqualTo("OK");
    }
  }

  @Test
  void aReplicaIsLeftUntilItIsMasterAgain() {
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> connected = connects.observe()) {
      redis.onConnect(() -> connects.emit("connected"));
      assertThat(connected.await(LONG)).isEqualTo("connected");
      String _ = redis.call(commands -> commands.replicaof("127.0.0.1", 1));
      assertThatThrownBy(() -> redis.call(commands -> commands.set("k", "v")))
          .isInstanceOf(RedisUnavailable.class);
      assertThat(connected.await(LONG)).isEqualTo("connected");
      while (true) {
        try {
          String _ = redis.call(commands -> commands.replicaofNoOne());
          String _ = redis.call(commands -> commands.set("k", "v"));
          break;
        } catch (RedisUnavailable e) {
          assertThat(connected.await(LONG)).isEqualTo("connected");
        }
      }
    }
  }

  @Test
  void aRightThatIsMissingCountsAsAwayWhereItIsMissing() {
    LuaScript write = script("return redis.call('SET', KEYS[1], ARGV[1])");
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> connected = connects.observe()) {
      redis.onConnect(() -> connects.emit("connected"));
      assertThat(connected.await(LONG)).isEqualTo("connected");
      acl(redis, "-set", "-xadd");
      assertThatThrownBy(() -> redis.eval(write, List.of("k"), List.of("v")))
          .isInstanceOf(RedisUnavailable.class);
      assertThatThrownBy(() -> redis.call(commands -> commands.xadd("s", "f", "v")))
          .isInstanceOf(RedisUnavailable.class);
      assertThat(redis.<Long>call(commands -> commands.incr("n"))).isEqualTo(1L);
      assertThat(redis.available()).isTrue();
      acl(redis, "+set", "+xadd");
      assertThat(connected.await(LONG)).isEqualTo("connected");
      assertThat(redis.eval(write, List.of("k"), List.of("v"))).isEqualTo("OK");
    }
  }

  private static void acl(Redis redis, String... rules) {
    CommandArgs<String, String> change =
        new CommandArgs<>(UTF8).add("SETUSER").add("default").add(rules[0]).add(rules[1]);
    String _ =
        redis.call(
            commands -> commands.dispatch(CommandType.ACL, new StatusOutput<>(UTF8), change));
  }

  private static long pings(StatefulRedisConnection<String, String> eye) {
    return eye.sync()
        .info("commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_ping:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("^[^=]*=(\\d+),.*", "$1")))
        .sum();
  }

  @Test
  void messagesReachEveryReceiverOfTheirChannelUntilItIsClosed() {
    TestSignal<String> messages = new TestSignal<>();
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> heard = messages.observe()) {
      Redis.Subscription first = redis.subscribe("c", text -> messages.emit("first " + text));
      Redis.Subscription broken =
          redis.subscribe(
              "c",
              text -> {
                throw new IllegalStateException("must not matter");
              });
      Redis.Subscription second = redis.subscribe("c", text -> messages.emit("second " + text));
      assertThat(publish(redis, "c", "1")).isEqualTo(1);
      assertThat(heard.await(LONG)).isEqualTo("first 1");
      assertThat(heard.await(LONG)).isEqualTo("second 1");
      first.close();
      first.close();
      long _ = publish(redis, "c", "2");
      assertThat(heard.await(LONG)).isEqualTo("second 2");
      broken.close();
      second.close();
      Redis.Subscription again = redis.subscribe("c", text -> messages.emit("again " + text));
      long _ = publish(redis, "c", "3");
      assertThat(heard.await(LONG)).isEqualTo("again 3");
      again.close();
    }
  }

  @Test
  void aSubscriptionMadeWhileRedisIsAwayBeginsWhenItComes() {
    TestSignal<String> messages = new TestSignal<>();
    server.stop();
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> heard = messages.observe()) {
      Redis.Subscription subscription = redis.subscribe("c", messages::emit);
      server.restart();
      awaitReceiver(redis, "c");
      long _ = publish(redis, "c", "at last");
      assertThat(heard.await(LONG)).isEqualTo("at last");
      subscription.close();
    }
  }

  @Test
  void subscriptionsOutliveARestartAndTellWhenToLookForWhatWasMissed() {
    TestSignal<String> messages = new TestSignal<>();
    try (Redis redis = Redis.open(server.url());
        SignalObservation<String> heard = messages.observe()) {
      Redis.Subscription one = redis.subscribe("one", messages::emit);
      Redis.Subscription two = redis.subscribe("two", messages::emit);
      server.kill();
      server.restart();
      awaitReceiver(redis, "one");
      long _ = publish(redis, "one", "1");
      assertThat(heard.await(LONG)).isEqualTo("1");
      long _ = publish(redis, "two", "2");
      assertThat(heard.await(LONG)).isEqualTo("2");

      // Redis drops a subscriber that reads too slowly and leaves the other connection alone.
      try (SignalObservation<String> connected = connects.observe()) {
        redis.onConnect(() -> connects.emit("connected"));
        assertThat(connected.await(LONG)).isEqualTo("connected");
        long killed = redis.call(commands -> commands.clientKill(KillArgs.Builder.typePubsub()));
        assertThat(killed).isEqualTo(1);
        assertThat(connected.await(LONG)).isEqualTo("connected");
        long _ = publish(redis, "two", "3");
        assertThat(heard.await(LONG)).isEqualTo("3");
      }
      one.close();
      two.close();
    }
  }

  @Test
  void aUrlThatIsNoneIsRefusedWithoutRepeatingTheSecret() {
    for (String url : List.of("http://:s3cret@h", "redis://:s3cret@h:port x", "s3cret")) {
      assertThatThrownBy(() -> Redis.open(url))
          .as(url)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining("s3cret")
          .hasNoCause();
    }
  }

  private static void assertUnavailable(Redis redis) {
    assertThatThrownBy(() -> eval(redis, "return 1")).isInstanceOf(RedisUnavailable.class);
    assertThat(redis.evalAsync(script("return 1"), List.of(), List.of()).toCompletableFuture())
        .failsWithin(LONG)
        .withThrowableThat()
        .withCauseInstanceOf(RedisUnavailable.class);
  }

  private static CompletableFuture<Throwable> failure(Redis redis) {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread _ =
        Thread.startVirtualThread(
            () -> failure.complete(catchThrowable(() -> eval(redis, "return 1"))));
    return failure.orTimeout(20, TimeUnit.SECONDS);
  }

  /** Waits until somebody listens to a channel, by asking as often as it connects. */
  private void awaitReceiver(Redis redis, String channel) {
    try (SignalObservation<String> connected = connects.observe()) {
      redis.onConnect(() -> connects.emit("connected"));
      while (!redis.available() || receivers(redis, channel) == 0) {
        String _ = connected.await(LONG);
      }
    }
  }

  private static long receivers(Redis redis, String channel) {
    return redis.call(commands -> commands.pubsubNumsub(channel)).getOrDefault(channel, 0L);
  }

  private static long publish(Redis redis, String channel, String message) {
    return redis.call(commands -> commands.publish(channel, message));
  }

  private static @Nullable Object eval(Redis redis, String source) {
    return redis.eval(script(source), List.of(), List.of());
  }

  private static LuaScript script(String source) {
    return LuaScript.of("test", source);
  }
}
