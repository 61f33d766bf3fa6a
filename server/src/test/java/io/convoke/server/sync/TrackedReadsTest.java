package io.convoke.server.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What may be told without asking, on a real Redis that others change. */
class TrackedReadsTest {
  private static final List<String> KEY = List.of("k");

  private final AtomicLong nanos = new AtomicLong(1);
  private RedisServer server;
  private Redis own;
  private Redis other;
  private TrackedReads reads;

  @BeforeEach
  void connect() throws InterruptedException {
    server = Stores.forTests().ownRedis();
    own = SharedLooksTest.connected(server);
    other = SharedLooksTest.connected(server);
    reads = new TrackedReads(own, Readers.fresh(), text -> !text.equals("brief"), nanos::get);
    String _ = own.call(commands -> commands.set(Readers.fresh().generation(), "first"));
    set("one");
    begin();
  }

  @AfterEach
  void close() {
    reads.close();
    other.close();
    own.close();
    server.close();
  }

  @Test
  void whatWasReadIsToldForTheLengthOfALeaseAndThenProvedWithoutReading() {
    assertThat(told()).isEmpty();
    assertThat(text(look())).isEqualTo("one");
    assertThat(told()).contains("one");
    assertThat(reads.ages()).isFalse();
    long read = SharedLooksTest.mgets(other);

    nanos.addAndGet(Memory.LEASE.toNanos() - 1);
    assertThat(told()).contains("one");
    assertThat(reads.ages()).isTrue();
    nanos.addAndGet(1);
    assertThat(told()).isEmpty();
    assertThat(text(look())).isEqualTo("one");
    assertThat(told()).contains("one");
    assertThat(SharedLooksTest.mgets(other)).isEqualTo(read);
  }

  @Test
  void whatAnotherChangesIsForgottenBeforeTheNextLookIsAnswered() {
    assertThat(text(look())).isEqualTo("one");
    set("two");
    assertThat(look(List.of("elsewhere")).values()).isEmpty();
    assertThat(told()).isEmpty();
    assertThat(text(look())).isEqualTo("two");
    assertThat(told()).contains("two");

    long _ = other.call(commands -> commands.del("k"));
    Seen _ = look(List.of("elsewhere"));
    assertThat(told()).isEmpty();
    assertThat(look().values()).isEmpty();
    assertThat(told()).as("what is not there is read each time").isEmpty();
  }

  @Test
  void aRedisThatForgetsEverythingIsBelieved() {
    assertThat(text(look())).isEqualTo("one");
    server.flush();
    Seen _ = look(List.of("elsewhere"));
    assertThat(told()).isEmpty();
    assertThat(look().values()).isEmpty();
  }

  @Test
  void whatLastsForAMomentOnlyIsNotRemembered() {
    set("brief");
    assertThat(text(look())).isEqualTo("brief");
    assertThat(text(look())).isEqualTo("brief");
    assertThat(told()).isEmpty();
  }

  @Test
  void whatIsKnownHereToBeOlderIsForgottenAlsoByALookThatIsOnItsWay() throws Exception {
    assertThat(text(look())).isEqualTo("one");
    server.pause(true);
    var seen = reads.look(KEY).toCompletableFuture();
    reads.forget(KEY);
    server.pause(false);
    Seen answer = seen.get(20, TimeUnit.SECONDS);
    assertThat(answer.answers(KEY)).as("it was not read, and proves nothing").isFalse();
    assertThat(told()).isEmpty();
    assertThat(text(look())).isEqualTo("one");
  }

  @Test
  void anotherConnectionRemembersNothing() throws Exception {
    assertThat(text(look())).isEqualTo("one");
    server.cut();
    while (reads.remembers() || !own.available()) {
      Thread.onSpinWait();
    }
    assertThat(told()).isEmpty();
    SharedLooks looks = new SharedLooks(reads, Duration.ofSeconds(20), () -> {});
    Seen seen = looks.look(KEY);
    while (seen.way().isEmpty()) {
      seen = looks.look(KEY);
    }
    assertThat(text(seen)).isEqualTo("one");
  }

  /** One whose users may not ask for it, or that is too old for it. */
  @Test
  void aRedisThatDoesNotTellOfChangesIsReadEachTimeAndKeepsNoConnection() {
    long clients = count("connected_clients");
    reads.close();
    while (count("connected_clients") == clients) {
      Thread.onSpinWait();
    }
    String _ =
        other.call(
            commands ->
                commands.aclSetuser(
                    "default",
                    AclSetuserArgs.Builder.removeCommand(
                        CommandType.CLIENT, CommandKeyword.TRACKING)));
    long connected = count("total_connections_received");
    reads = new TrackedReads(own, Readers.fresh(), text -> true, nanos::get);
    assertThat(text(look())).isEqualTo("one");
    while (count("total_connections_received") == connected
        || count("connected_clients") == clients) {
      assertThat(text(look())).isEqualTo("one");
    }
    assertThat(reads.remembers()).isFalse();
    assertThat(told()).isEmpty();
  }

  /** What is new to one reader is held back as long as another one may tell what was before. */
  @Test
  void whatIsReadWhileSomebodyElseReadsMayBeToldAfterTheirLease() throws Exception {
    KeptText alone = Objects.requireNonNull(look().values().get("k"));
    assertThat(alone.untilTellable(System.nanoTime())).isNotPositive();

    TrackedReads second = new TrackedReads(other, Readers.fresh(), text -> true);
    Seen _ = second.look(KEY).toCompletableFuture().get(20, TimeUnit.SECONDS);
    set("two");
    Seen _ = look(List.of("elsewhere"));
    long asked = System.nanoTime();
    KeptText news = Objects.requireNonNull(look().values().get("k"));
    assertThat(news.untilTellable(asked)).isGreaterThanOrEqualTo(Memory.LEASE.toNanos());
  }

  /**
   * Others use the same connection meanwhile, so that something could come between two commands.
   */
  @Test
  void nobodyIsToldWhatWasBeforeTheQuestion() throws Exception {
    long lease = Memory.LEASE.toNanos();
    reads = new TrackedReads(own, Readers.fresh(), text -> true, () -> nanos.addAndGet(lease));
    begin();
    SharedLooks looks = new SharedLooks(reads, Duration.ofSeconds(20), () -> {});
    AtomicLong written = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    set("0");
    Thread writer =
        Thread.ofVirtual()
            .start(
                () -> {
                  for (int i = 1; i <= 3_000; i++) {
                    set(Integer.toString(i));
                    written.set(i);
                  }
                  over.set(true);
                });
    Thread noise =
        Thread.ofVirtual()
            .start(
                () -> {
                  while (!over.get()) {
                    String _ = own.call(commands -> commands.get("noise"));
                  }
                });
    long most = 0;
    while (!over.get()) {
      long known = written.get();
      long told = Long.parseLong(text(looks.look(KEY)));
      most = Math.max(most, known - told);
    }
    writer.join();
    noise.join();
    assertThat(most).as("how far behind what was there when it was asked").isNotPositive();
    assertThat(text(looks.look(KEY))).isEqualTo("3000");
  }

  /** The first look has a connection made that changes are told on. */
  private void begin() {
    while (!reads.remembers()) {
      Seen _ = look(List.of("elsewhere"));
    }
  }

  private Optional<String> told() {
    Optional<String> together = reads.tellable(KEY).map(TrackedReadsTest::text);
    assertThat(reads.told("k").map(alone -> alone.text().text())).isEqualTo(together);
    return together;
  }

  private Seen look() {
    return look(KEY);
  }

  private Seen look(List<String> keys) {
    return reads.look(keys).toCompletableFuture().join();
  }

  private void set(String value) {
    String _ = other.call(commands -> commands.set("k", value));
  }

  private static String text(Seen seen) {
    return Optional.ofNullable(seen.values().get("k")).map(KeptText::text).orElse("");
  }

  private long count(String what) {
    String told = other.call(commands -> commands.info("everything"));
    return told.lines()
        .filter(line -> line.startsWith(what + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(what.length() + 1)))
        .findFirst()
        .orElseThrow();
  }
}
