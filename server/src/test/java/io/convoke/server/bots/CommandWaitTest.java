package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.bots.BotsTestServer.Answered;
import io.convoke.server.launch.Await;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A bot without Redis waits for its commands: {@code GET /callback/commands?wait=}. */
class CommandWaitTest {
  private final EmbeddedRedis redis = LocalStores.forTests().ownRedis();
  private final String database = MigratedDatabase.url();
  private final SecretBox secrets = SecretBox.of(SecretBox.newKey());
  private final BotsTestServer here = node();
  private final BotsTestServer there = node();
  private final long user = here.user(Optional.of(3));
  private long meeting;
  private BotConfig bot;

  @BeforeEach
  void reserve() {
    meeting = here.start(user, "standup").expect(201).json().path("id").asLong();
    bot = here.configOf(meeting);
    here.started(bot).expect(200);
    here.callback(bot, "joined", Map.of()).expect(200);
  }

  @AfterEach
  void close() {
    there.close();
    here.close();
    redis.close();
  }

  @Test
  void aCommandThatIsThereIsAnsweredAtOnceUntilItIsAcknowledged() {
    stop(here);
    Answered first = commands(here, "?wait=25").expect(200);
    assertThat(first.json().path("meeting_id").asLong()).isEqualTo(meeting);
    assertThat(first.json().path("status").asString()).isEqualTo("active");
    assertThat(actions(first)).containsExactly("leave");
    assertThat(actions(commands(here, "").expect(200))).containsExactly("leave");
    String id = first.json().path("commands").path(0).path("id").asString();
    here.callback(bot, "ack", Map.of("command_id", id)).expect(200);
    assertThat(actions(commands(here, "?wait=0").expect(200))).isEmpty();
  }

  @Test
  void aLeaveEndsTheWaitOnEveryNodeWithinASecondWithoutRedis() throws Exception {
    redis.stop();
    List<CompletableFuture<Answered>> waits = List.of(waiting(here), waiting(there));
    long sent = System.nanoTime();
    stop(here);
    for (CompletableFuture<Answered> wait : waits) {
      assertThat(actions(answered(wait).expect(200))).containsExactly("leave");
    }
    assertThat(System.nanoTime() - sent).isLessThan(Duration.ofSeconds(1).toNanos());
  }

  @Test
  void newSettingsEndTheWait() throws Exception {
    CompletableFuture<Answered> wait = waiting(there);
    here.user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting, "language", "fr"))
        .expect(202);
    Answered answer = answered(wait).expect(200);
    assertThat(actions(answer)).containsExactly("reconfigure");
    assertThat(answer.json().path("commands").path(0).path("language").asString()).isEqualTo("fr");
  }

  @Test
  void theEndOfTheMeetingEndsTheWaitWith410() throws Exception {
    List<CompletableFuture<Answered>> waits = List.of(waiting(here), waiting(there));
    here.callback(bot, "exited", Map.of("exit_code", 0)).expect(200);
    for (CompletableFuture<Answered> wait : waits) {
      assertThat(answered(wait).expect(410).code()).isEqualTo("meeting_over");
    }
    assertThat(commands(here, "?wait=25").expect(410).code()).isEqualTo("meeting_over");
  }

  @Test
  void aLongPollWithoutACommandEndsInTimeAndIsNoHeartbeat() {
    BotRow before = here.row(meeting);
    long begun = System.nanoTime();
    Answered answer = commands(here, "?wait=1").expect(200);
    assertThat(System.nanoTime() - begun)
        .isBetween(Duration.ofMillis(950).toNanos(), Duration.ofSeconds(5).toNanos());
    assertThat(actions(answer)).isEmpty();
    assertThat(here.row(meeting).lastSign()).isEqualTo(before.lastSign());
    assertThat(here.row(meeting).version()).isEqualTo(before.version());
  }

  @Test
  void aWaitingBotCostsNoStatement() throws Exception {
    assertThat(actions(commands(there, "?wait=1").expect(200))).isEmpty();
    long _ = there.journal.settled();
    long before = there.database.turns();
    assertThat(actions(commands(there, "?wait=2").expect(200))).isEmpty();
    assertThat(there.database.turns() - before).as("the look before the wait").isBetween(1L, 4L);
  }

  @Test
  void whatIsNoWaitIsRefused() {
    for (String wait : List.of("26", "-1", "x", "", "1.5", "1e308", "99999999999999999999")) {
      commands(here, "?wait=" + wait).expect(400);
    }
    here.call("GET", "/callback/commands?wait=0", BotsTestServer.asUser(user), Map.of())
        .expect(403);
  }

  @Test
  void onlySoManyWaitsOfOneBotAreHeldTheOldestIsAnsweredFirst() throws Exception {
    List<CompletableFuture<Answered>> waits = new ArrayList<>();
    for (int i = 0; i < CommandLongPolls.EACH_MAX; i++) {
      waits.add(waiting(here));
    }
    CompletableFuture<Answered> last = ask(here, 25);
    assertThat(actions(answered(waits.getFirst()).expect(200))).isEmpty();
    assertThat(last).isNotDone();
    stop(here);
    assertThat(actions(answered(last).expect(200))).containsExactly("leave");
  }

  @Test
  void aNodeThatStopsAnswersThoseThatWait() throws Exception {
    CompletableFuture<Answered> wait = waiting(there);
    there.bots.endWaits();
    assertThat(actions(answered(wait).expect(200))).isEmpty();
    assertThat(actions(commands(there, "?wait=25").expect(200))).isEmpty();
  }

  private BotsTestServer node() {
    return BotsTestServer.node(
        database,
        redis.url(),
        secrets,
        BotsTestServer.freePort(),
        new FakeLauncher(),
        terms -> terms);
  }

  private void stop(BotsTestServer testServer) {
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
  }

  private Answered commands(BotsTestServer testServer, String query) {
    return testServer.call(
        "GET",
        "/callback/commands" + query,
        List.of("Authorization", "Bearer " + bot.token()),
        Map.of());
  }

  private CompletableFuture<Answered> ask(BotsTestServer testServer, int seconds) {
    return CompletableFuture.supplyAsync(
        () -> commands(testServer, "?wait=" + seconds),
        Executors.newVirtualThreadPerTaskExecutor());
  }

  /** A call that is already waiting. */
  private CompletableFuture<Answered> waiting(BotsTestServer testServer) {
    return waiting(testServer, 25);
  }

  private CompletableFuture<Answered> waiting(BotsTestServer testServer, int seconds) {
    int before = testServer.bots.waiting();
    CompletableFuture<Answered> wait = ask(testServer, seconds);
    Await.until("the call to wait", () -> testServer.bots.waiting() > before);
    return wait;
  }

  private static Answered answered(CompletableFuture<Answered> wait) throws Exception {
    return wait.get(10, TimeUnit.SECONDS);
  }

  private static List<String> actions(Answered answer) {
    return answer.json().path("commands").findValuesAsString("action");
  }
}
