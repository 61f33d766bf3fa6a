package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.launch.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bots are reserved under the user's lock (bots-1; F-06, F-07). */
class AdmissionControlTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void twoHundredStartsAtOnceWithALimitOfTenMakeTenBots() throws Exception {
    long user = testServer.user(Optional.of(10));
    List<Integer> statuses = atOnce(200, i -> testServer.start(user, "room-" + i).status());
    assertThat(statuses).filteredOn(status -> status == 201).hasSize(10);
    assertThat(statuses).filteredOn(status -> status == 429).hasSize(190);
    assertThat(live(user)).isEqualTo(10);
  }

  @Test
  void fiftyStartsAtOnceForOneMeetingMakeOneBot() throws Exception {
    long user = testServer.user(Optional.empty());
    List<Integer> statuses = atOnce(50, i -> testServer.start(user, "standup").status());
    assertThat(statuses).filteredOn(status -> status == 201).hasSize(1);
    assertThat(statuses).filteredOn(status -> status == 409).hasSize(49);
    assertThat(live(user)).isEqualTo(1);
  }

  @Test
  void startsOfOneUserThatHaveToWaitLeaveTheDatabaseToOthers() throws Exception {
    long slow = testServer.user(Optional.empty());
    long other = testServer.user(Optional.empty());
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> hung = threads.submit(() -> testServer.hold(slow, locked, over));
      locked.await();
      List<Future<Integer>> waiting = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        String room = "room-" + i;
        waiting.add(threads.submit(() -> testServer.start(slow, room).status()));
      }
      try {
        Await.until("a start that waits for the row", () -> testServer.waitingForUsers() > 0);
        for (int i = 0; i < 20; i++) {
          testServer.start(other, "others-room-" + i).expect(201);
        }
        assertThat(testServer.waitingForUsers()).isEqualTo(1);
      } finally {
        over.countDown();
      }
      hung.get();
      for (Future<Integer> start : waiting) {
        assertThat(start.get()).isEqualTo(201);
      }
    }
  }

  @Test
  void theCeilingOverAllUsersHoldsAndIsNamedInTheRefusal() throws Exception {
    try (BotsTestServer small =
        BotsTestServer.open(new FakeLauncher(), AdmissionControlTest::threeInAll)) {
      List<Long> users = List.of(small.user(Optional.of(9)), small.user(Optional.empty()));
      List<Integer> statuses = atOnce(40, i -> small.start(users.get(i % 2), "room-" + i).status());
      assertThat(statuses).filteredOn(status -> status == 201).hasSize(3);
      assertThat(small.start(users.getFirst(), "more").expect(429).code())
          .isEqualTo("fleet_limit_reached");
    }
  }

  private static BotsConfig threeInAll(BotsConfig terms) {
    return new BotsConfig(
        terms.heartbeatInterval(),
        false,
        Optional.of(3),
        Optional.empty(),
        Optional.empty(),
        terms.reservedTimeout(),
        terms.startingTimeout(),
        terms.heartbeatTimeout(),
        terms.stoppingTimeout(),
        terms.sweepInterval(),
        terms.killGrace(),
        terms.callbackUrl(),
        terms.redisUrl());
  }

  @Test
  void zeroIsNoneNullIsUnlimitedAndARefusalLeavesNothingBehind() {
    long none = testServer.user(Optional.of(0));
    assertThat(testServer.start(none, "a").expect(429).code()).isEqualTo("bot_limit_reached");
    assertThat(live(none)).isZero();
    assertThat(events(none)).isZero();
    long unlimited = testServer.user(Optional.empty());
    for (int i = 0; i < 20; i++) {
      testServer.start(unlimited, "room-" + i).expect(201);
    }
  }

  @Test
  void aSecondBotForTheSameMeetingIsRefusedWithTheIdOfTheFirst() {
    long user = testServer.user(Optional.of(1));
    long first = testServer.start(user, "standup").expect(201).json().path("id").asLong();
    BotsTestServer.Answered second = testServer.start(user, "standup").expect(409);
    assertThat(second.json().path("meeting").path("id").asLong()).isEqualTo(first);
    assertThat(second.json().path("meeting").path("status").asString()).isEqualTo("reserved");
  }

  @Test
  void aMeetingThatIsMerelyTrackedTakesNoPlace() {
    long user = testServer.user(Optional.of(1));
    testServer.user(user, "POST", "/meetings", BotsTestServer.startBody("standup")).expect(201);
    testServer.start(user, "standup").expect(201);
    testServer.start(user, "planning").expect(429);
  }

  @Test
  void theSameIdempotencyKeyGivesTheSameBot() {
    long user = testServer.user(Optional.of(5));
    String path = "/bots/start";
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      ids.add(startWithKey(user, path).json().path("id").asLong());
    }
    assertThat(ids.get(1)).isEqualTo(ids.get(0));
    assertThat(live(user)).isEqualTo(1);
  }

  /** The refusal is answered and its key cannot be given back, as if the database broke then. */
  @Test
  void aStartThatWasRefusedIsNotTakenForOneThatWasCarriedOut() {
    long user = testServer.user(Optional.of(1));
    testServer.start(user, "standup").expect(201);
    update(
        """
        create function refuse() returns trigger language plpgsql as $$
        begin
          raise 'the database broke';
        end $$
        """);
    update(
        "create trigger refuse before delete on idempotency_keys for each row"
            + " execute function refuse()");
    assertThat(startOnce(user).expect(429).code()).isEqualTo("bot_limit_reached");
    update("drop trigger refuse on idempotency_keys");
    update("update idempotency_keys set claimed_until = now() - interval '1 second'");
    update("update users set max_concurrent_bots = 2");
    startOnce(user).expect(201);
  }

  private BotsTestServer.Answered startOnce(long user) {
    return testServer.call(
        "POST",
        "/bots/start",
        List.of("X-API-Key", "user-" + user, "Idempotency-Key", "once"),
        BotsTestServer.startBody("planning"));
  }

  private void update(String sql) {
    int _ = testServer.database.read(tx -> tx.sql(sql).update());
  }

  @Test
  void malformedRequestsAreRefusedByFieldAndNothingIsWritten() {
    long user = testServer.user(Optional.of(5));
    testServer.user(user, "POST", "/bots/start", Map.of("platform", "daily")).expect(400);
    testServer
        .user(
            user,
            "POST",
            "/bots/start",
            Map.of("platform", "carrier pigeon", "native_meeting_id", "x"))
        .expect(400);
    testServer
        .user(user, "POST", "/bots/start", Map.of("platform", "daily", "native_meeting_id", 7))
        .expect(400);
    assertThat(live(user)).isZero();
  }

  private BotsTestServer.Answered startWithKey(long user, String path) {
    java.net.http.HttpRequest request =
        java.net.http.HttpRequest.newBuilder(java.net.URI.create(testServer.url() + path))
            .header("X-API-Key", "user-" + user)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", "once")
            .POST(
                java.net.http.HttpRequest.BodyPublishers.ofString(
                    "{\"platform\":\"daily\",\"native_meeting_id\":\"standup\"}"))
            .build();
    try (java.net.http.HttpClient client = java.net.http.HttpClient.newHttpClient()) {
      var response = client.send(request, java.net.http.HttpResponse.BodyHandlers.ofString());
      return new BotsTestServer.Answered(response.statusCode(), response.body(), response.headers())
          .expect(201);
    } catch (java.io.IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private long live(long user) {
    return testServer.database.read(
        tx ->
            tx.sql("select count(*) as bots from meetings where user_id = ? and not tracked")
                .with(user)
                .one(resultRow -> resultRow.longAt("bots")));
  }

  private long events(long user) {
    return testServer.database.read(
        tx ->
            tx.sql("select count(*) as found from events where user_id = ?")
                .with(user)
                .one(resultRow -> resultRow.longAt("found")));
  }

  private static List<Integer> atOnce(int times, java.util.function.IntFunction<Integer> request)
      throws Exception {
    try (var threads = Executors.newFixedThreadPool(50)) {
      List<Callable<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < times; i++) {
        int number = i;
        calls.add(() -> request.apply(number));
      }
      List<Integer> statuses = new ArrayList<>();
      for (Future<Integer> answer : threads.invokeAll(calls)) {
        statuses.add(answer.get());
      }
      return statuses;
    }
  }
}
