package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.server.launch.Await;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.rooms.RoomClaims;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Bots that wait for a place: in order, for a bounded time, and no longer than there is none. */
class BotQueueTest {
  private final FakeLauncher launcher = new FakeLauncher();

  /** Sweeps are far apart: what starts here does not start by a sweep. */
  private final BotsTestServer testServer =
      BotsTestServer.open(launcher, BotQueueTest::withoutSweeps);

  private final long user = testServer.user(Optional.of(1));

  @AfterEach
  void close() {
    List<String> told = new ArrayList<>();
    assertThat(BotReplay.run(testServer.database, told::add).differences())
        .as("the journal reproduces the queue: " + told)
        .isZero();
    testServer.close();
  }

  @Test
  void atTheCeilingABotWaitsAndStartsWhenThePlaceIsFree() {
    testServer.bots.start();
    long first = start("first", Map.of());
    JsonNode waiting = queued("second");
    long second = waiting.path("id").asLong();
    assertThat(waiting.path("status").asString()).isEqualTo("reserved");
    assertThat(waiting.path("substatus").asString()).isEqualTo("queued");
    long third = queued("third").path("id").asLong();
    assertThat(position(second)).isEqualTo(1);
    assertThat(position(third)).isEqualTo(2);
    Await.until("the first is launched", () -> launched(first));
    assertThat(launched(second)).isFalse();
    exits(first);
    Await.until("the second is launched", () -> launched(second));
    assertThat(status(second).path("substatus").isNull()).isTrue();
    assertThat(position(third)).isEqualTo(1);
    assertThat(launched(third)).isFalse();
    exits(second);
    Await.until("the third is launched", () -> launched(third));
  }

  @Test
  void withoutTheWishItIsStill429AndAnOlderOneInTheQueueComesFirst() {
    start("first", Map.of());
    assertThat(
            testServer
                .user(user, "POST", "/bots/start", BotsTestServer.startBody("second"))
                .expect(429)
                .code())
        .isEqualTo("bot_limit_reached");
    long second = queued("second").path("id").asLong();
    mayHave(2);
    testServer.user(user, "POST", "/bots/start", BotsTestServer.startBody("third")).expect(429);
    var _ = testServer.bots.sweeper().sweep();
    assertThat(testServer.row(second).queued()).as("a sweep sees the raised limit").isFalse();
  }

  /** Each waits for the user's row with a transaction that began before the place was given. */
  @Test
  void twoServersThatLookAtOnceGiveOnePlaceToTheBotThatWaitsLongest() throws Exception {
    start("first", Map.of());
    long second = queued("second").path("id").asLong();
    long third = queued("third").path("id").asLong();
    mayHave(2);
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> holder = threads.submit(() -> testServer.hold(user, locked, over));
      locked.await();
      List<Future<List<BotRow>>> servers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        AdmissionControl server =
            new AdmissionControl(
                testServer.database,
                testServer.journal,
                new RoomClaims(testServer.database, RoomClaims.RoomClaimMode.FIRST),
                testServer.terms);
        servers.add(threads.submit(() -> server.admitQueued(user)));
      }
      try {
        Await.until("both wait for the row", () -> testServer.waitingForUsers() == 2);
      } finally {
        over.countDown();
      }
      var _ = holder.get();
      List<Long> admitted = new ArrayList<>();
      for (Future<List<BotRow>> server : servers) {
        server.get().forEach(row -> admitted.add(row.id()));
      }
      assertThat(admitted).containsExactly(second);
      assertThat(testServer.row(third).queued()).isTrue();
    }
  }

  private void mayHave(int bots) {
    int _ =
        testServer.database.read(
            tx ->
                tx.sql("update users set max_concurrent_bots = ? where id = ?")
                    .with(bots, user)
                    .update());
  }

  @Test
  void oneWhoMayHaveNoBotsDoesNotWaitForOne() {
    long none = testServer.user(Optional.of(0));
    assertThat(testServer.user(none, "POST", "/bots/start", body("x", Map.of())).expect(429).code())
        .isEqualTo("bot_limit_reached");
  }

  @Test
  void aWaitingBotCanBeCancelledAndMakesRoom() {
    testServer.bots.start();
    long first = start("first", Map.of());
    long second = queued("second").path("id").asLong();
    long third = queued("third").path("id").asLong();
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", second)).expect(202);
    Await.until("it has ended", () -> testServer.status(second).terminal());
    assertThat(testServer.outcome(second).path("reason").asString()).isEqualTo("stopped");
    assertThat(launched(second)).isFalse();
    assertThat(position(third)).isEqualTo(1);
    Await.until("the first is launched", () -> launched(first));
    exits(first);
    Await.until("the third is launched", () -> launched(third));
  }

  @Test
  void theWaitIsBounded() {
    testServer.bots.start();
    long first = start("first", Map.of());
    long second = start("second", Map.of("queue_timeout", 0.5));
    Await.until("it has ended", () -> testServer.status(second).terminal());
    assertThat(testServer.outcome(second).path("reason").asString()).isEqualTo("queue_timeout");
    assertThat(testServer.outcome(second).path("attribution").asString()).isEqualTo("user");
    assertThat(testServer.status(first).terminal()).isFalse();
  }

  @Test
  void theQueueOfAUserIsBounded() {
    start("first", Map.of());
    queued("second");
    queued("third");
    assertThat(
            testServer
                .user(user, "POST", "/bots/start", body("fourth", Map.of()))
                .expect(429)
                .code())
        .isEqualTo("queue_full");
  }

  @Test
  void aStoppedBotDoesNotCountAsWaiting() {
    start("first", Map.of());
    long second = queued("second").path("id").asLong();
    long third = queued("third").path("id").asLong();
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", second)).expect(202);
    assertThat(testServer.status(second).terminal()).as("nothing has ended it yet").isFalse();
    assertThat(position(third)).isEqualTo(1);
    long fourth = queued("fourth").path("id").asLong();
    assertThat(position(fourth)).isEqualTo(2);
  }

  @Test
  void aStartTimeAndAQueueExcludeEachOther() {
    testServer
        .user(
            user,
            "POST",
            "/bots/start",
            body("x", Map.of("start_at", java.time.Instant.now().plusSeconds(60).toString())))
        .expect(400);
  }

  @Test
  void startsAtOnceNeverExceedTheCeilingAndNoneIsForgotten() throws Exception {
    testServer.bots.start();
    long many = testServer.user(Optional.of(2));
    List<Long> meetings = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<JsonNode>> starts = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String room = "room-" + i;
        starts.add(
            threads.submit(
                () ->
                    testServer
                        .user(many, "POST", "/bots/start", body(room, Map.of()))
                        .expect(201)
                        .json()));
      }
      for (Future<JsonNode> start : starts) {
        meetings.add(start.get().path("id").asLong());
      }
    }
    List<Long> left = new ArrayList<>(meetings);
    while (!left.isEmpty()) {
      Await.until("a bot runs", () -> left.stream().anyMatch(this::launched));
      assertThat(left.stream().filter(this::launched).count()).isLessThanOrEqualTo(2);
      long done = left.stream().filter(this::launched).findFirst().orElseThrow();
      exits(done);
      left.remove(done);
    }
    assertThat(meetings).allMatch(meeting -> testServer.status(meeting) == MeetingStatus.FAILED);
  }

  private static BotsConfig withoutSweeps(BotsConfig terms) {
    BotRulesConfig usual = BotRulesConfig.DEFAULT;
    return new BotsConfig(
            terms.heartbeatInterval(),
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            terms.reservedTimeout(),
            terms.startingTimeout(),
            terms.heartbeatTimeout(),
            terms.stoppingTimeout(),
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            terms.callbackUrl(),
            terms.redisUrl())
        .under(
            new BotRulesConfig(
                usual.maxLifetime(),
                usual.maxLifetimeLimit(),
                usual.noProgress(),
                usual.noProgressAfter(),
                usual.queueTimeout(),
                2));
  }

  private JsonNode queued(String room) {
    return testServer.user(user, "POST", "/bots/start", body(room, Map.of())).expect(201).json();
  }

  private long start(String room, Map<String, Object> more) {
    return testServer
        .user(user, "POST", "/bots/start", body(room, more))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static Map<String, Object> body(String room, Map<String, Object> more) {
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody(room));
    body.put("queue", true);
    body.putAll(more);
    return body;
  }

  private boolean launched(long meeting) {
    return testServer.row(meeting).handle().isPresent();
  }

  private long position(long meeting) {
    return status(meeting).path("queue").path("position").asLong();
  }

  private JsonNode status(long meeting) {
    return testServer.get(user, "/bots/status?meeting_id=" + meeting).expect(200).json();
  }

  private void exits(long meeting) {
    BotConfig bot = testServer.configOf(meeting);
    testServer.started(bot).expect(200);
    testServer.callback(bot, "exited", Map.of("exit_code", 10)).expect(200);
  }
}
