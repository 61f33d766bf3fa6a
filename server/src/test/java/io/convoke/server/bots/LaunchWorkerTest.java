package io.convoke.server.bots;

import static io.convoke.server.platform.PlatformError.PlatformErrorKind.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.json.Json;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RoomAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** From the reserved row to the launched bot, or to its failure (F-01, F-02, F-10, F-11, F-16). */
class LaunchWorkerTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer = BotsTestServer.open(launcher, LaunchWorkerTest::quick);
  private final TestSignal.SignalObservation<LaunchSpec> launched = launcher.launched.observe();
  private final TestSignal.SignalObservation<Meeting> moves = testServer.moves();

  @AfterEach
  void close() {
    testServer.close();
  }

  /**
   * The defaults but for the sweep, which only the tests themselves do, and the stop, which is
   * short.
   */
  private static BotsConfig quick(BotsConfig terms) {
    return new BotsConfig(
        terms.heartbeatInterval(),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.of(3),
        terms.reservedTimeout(),
        terms.startingTimeout(),
        terms.heartbeatTimeout(),
        Duration.ofSeconds(1),
        Duration.ofHours(1),
        Duration.ZERO,
        terms.callbackUrl(),
        terms.redisUrl());
  }

  @Test
  void aReservedRowIsLaunchedOnceAndItsHandleNoted() {
    testServer.bots.start();
    long meeting = start("standup");
    LaunchSpec spec = launched.await(BotsTestServer.SOON);
    BotConfig told = BotsTestServer.config(spec);
    assertThat(told.meetingId()).isEqualTo(meeting);
    assertThat(told.connectionId()).isEqualTo(testServer.row(meeting).connectionId());
    assertThat(told.callbackUrl()).isEqualTo(testServer.url());
    testServer.started(told).expect(200);
    testServer.bots.launching().wake(meeting);
    assertThat(launcher.launches).hasSize(1);
  }

  @Test
  void theEnvironmentOfBotsIsNotMadeForEachLaunch() {
    testServer.bots.start();
    long _ = start("standup");
    LaunchSpec spec = launched.await(BotsTestServer.SOON);
    long _ = start("retro");
    assertThat(launched.await(BotsTestServer.SOON).environment()).isSameAs(spec.environment());
  }

  @Test
  void aLaunchThatFailsIsFailedAtOnceAndFreesThePlace() {
    testServer.bots.start();
    launcher.failing = true;
    long user = testServer.user(Optional.of(1));
    long meeting = start(user, "standup");
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("start_failed");
    launcher.failing = false;
    long again = start(user, "standup");
    assertThat(launched.await(BotsTestServer.SOON).meetingId()).isEqualTo(again);
  }

  @Test
  void aCrashBetweenTheCommitAndTheLaunchIsPickedUpAtTheNextStart() {
    long meeting = start("standup");
    assertThat(launcher.launches).isEmpty();
    testServer.bots.start();
    assertThat(launched.await(BotsTestServer.SOON).meetingId()).isEqualTo(meeting);
  }

  @Test
  void aCrashBetweenTheLaunchAndItsNoteFindsTheSameBotAgain() throws Exception {
    long meeting = start("standup");
    BotRow row = testServer.row(meeting);
    String handle =
        launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    BotSweeper.BotSweepResult botSweepResult = testServer.bots.sweeper().sweep();
    assertThat(botSweepResult.orphans()).isZero();
    assertThat(testServer.row(meeting).handle()).contains(handle);
    assertThat(launcher.launches).hasSize(1);
  }

  @Test
  void aPlatformThatIsAwayDelaysALaunchAndEndsNoBot() {
    testServer.urls = (_, _) -> new RoomAddress.RoomAddressUnknown(PlatformError.of(UNREACHABLE));
    TestSignal.SignalObservation<Long> handled = testServer.bots.launching().handled().observe();
    testServer.bots.start();
    long meeting = start("standup");
    assertThat(handled.await(BotsTestServer.SOON)).isEqualTo(meeting);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
    assertThat(launcher.launches).isEmpty();

    testServer.urls = (_, _) -> new RoomAddress.RoomPage("https://team.daily.co/standup");
    endLeases();
    testServer.bots.launching().wake(meeting);
    assertThat(BotsTestServer.config(launched.await(BotsTestServer.SOON)).meetingUrl())
        .contains("https://team.daily.co/standup");
  }

  /** The store alone is told of the stop, so that nothing else ends it when it is overdue. */
  @Test
  void aStopEndsABotWhoseAddressIsNotTold() {
    testServer.urls = (_, _) -> new RoomAddress.RoomAddressUnknown(PlatformError.of(UNREACHABLE));
    TestSignal.SignalObservation<Long> handled = testServer.bots.launching().handled().observe();
    testServer.bots.start();
    long meeting = start("standup");
    assertThat(handled.await(BotsTestServer.SOON)).isEqualTo(meeting);
    assertThat(new BotStore(testServer.database).waiting(Duration.ZERO, 10))
        .as("no sweep ends its wait")
        .isEmpty();
    List<BotRow> _ = testServer.database.transaction(tx -> BotStore.wantStop(tx, List.of(meeting)));
    testServer.bots.launching().wake(meeting);
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    assertThat(launcher.launches).isEmpty();
  }

  private void endLeases() {
    int _ =
        testServer.database.read(
            tx -> tx.sql("update bot_launches set lease_until = now() - interval '1 s'").update());
  }

  @Test
  void aClaimThatIsLostIsNotRenewed() {
    BotRow row = testServer.row(start("standup"));
    BotStore store = new BotStore(testServer.database);
    BotStore.LaunchClaim lost = claim(row, "one", Duration.ofSeconds(-1));
    assertThat(store.renewLaunch(lost, Duration.ofSeconds(-1))).as("not taken yet").isTrue();
    BotStore.LaunchClaim held = claim(row, "two", LaunchLease.TERM);
    assertThat(store.renewLaunch(lost, LaunchLease.TERM)).as("taken").isFalse();
    assertThat(store.renewLaunch(held, LaunchLease.TERM)).isTrue();
    var _ = store.launched(row, "fake:" + row.containerName());
    assertThat(store.renewLaunch(held, LaunchLease.TERM)).as("launched").isFalse();
  }

  @Test
  void aStopBeforeTheLaunchMeansThereIsNoLaunch() {
    long user = testServer.user(Optional.of(1));
    long meeting = start(user, "standup");
    stop(user, meeting);
    testServer.bots.start();
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("user");
    assertThat(launcher.launches).isEmpty();
    JsonNode status = testServer.get(user, "/bots/status?meeting_id=" + meeting).json();
    assertThat(status.path("last_heartbeat").isNull()).as("no bot has called").isTrue();
  }

  @Test
  void anOutcomeIsConvokesFromTheBeginning() {
    long user = testServer.user(Optional.of(1));
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody("standup"));
    body.put("data", Map.of("outcome", "mine", "title", "Stand-up"));
    for (String path : List.of("/bots/start", "/meetings")) {
      assertThat(testServer.user(user, "POST", path, body).expect(201).json().path("data"))
          .as(path)
          .isEqualTo(Json.tree(Map.of("title", "Stand-up")));
    }
  }

  @Test
  void aStopWhileTheBotBootsEndsItsProcess() {
    testServer.bots.start();
    long user = testServer.user(Optional.of(1));
    long meeting = start(user, "standup");
    LaunchSpec _ = launched.await(BotsTestServer.SOON);
    stop(user, meeting);
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    assertThat(launcher.alive).isEmpty();
  }

  @Test
  void aBotThatDoesNotObeyIsKilledAndOnlyThenTerminal() {
    testServer.bots.start();
    long user = testServer.user(Optional.of(1));
    long meeting = active(user, "standup");
    stop(user, meeting);
    Meeting end = awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(end.endTime()).isPresent();
    assertThat(launcher.stops).containsExactly(testServer.row(meeting).containerName());
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stop_unheeded");
  }

  @Test
  void aStopAndAReconfigurationNeverWriteAStatus() {
    long user = testServer.user(Optional.of(1));
    long meeting = active(user, "standup");
    int _ =
        testServer.database.read(
            tx ->
                tx.sql(
                        """
                        create table status_writes as select status, updated_at from meetings limit 0;
                        create function seen() returns trigger language plpgsql as $$
                        begin
                          if new.status is distinct from old.status or new.updated_at <> old.updated_at then
                            insert into status_writes values (new.status, new.updated_at);
                          end if;
                          return new;
                        end $$;
                        create trigger seen before update on meetings for each row execute function seen();
                        """)
                    .update());
    testServer
        .user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting, "bot_name", "Scribe"))
        .expect(202);
    stop(user, meeting);
    stop(user, meeting);
    long writes =
        testServer.database.read(
            tx ->
                tx.sql("select count(*) as writes from status_writes")
                    .one(resultRow -> resultRow.longAt("writes")));
    assertThat(writes).isZero();
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
    assertThat(
            testServer
                .get(user, "/bots/status?meeting_id=" + meeting)
                .expect(200)
                .json()
                .path("desired")
                .asString())
        .isEqualTo("stop");
  }

  @Test
  void aStopOfAMeetingThatIsOverIsAcceptedAndChangesNothing() {
    long user = testServer.user(Optional.of(1));
    long meeting = active(user, "standup");
    testServer.callback(testServer.configOf(meeting), "exited", Map.of("exit_code", 0)).expect(200);
    stop(user, meeting);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.COMPLETED);
    assertThat(testServer.row(meeting).stopRequested()).isFalse();
    testServer
        .user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting, "language", "de"))
        .expect(409);
  }

  @Test
  void anotherUsersBotIsNotThere() {
    long user = testServer.user(Optional.of(1));
    long meeting = start(user, "standup");
    long other = testServer.user(Optional.of(1));
    testServer.get(other, "/bots/status?meeting_id=" + meeting).expect(404);
    testServer.user(other, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(404);
    testServer.get(other, "/meetings/" + meeting).expect(404);
    assertThat(testServer.row(meeting).stopRequested()).isFalse();
  }

  @Test
  void theExitOfAProcessIsReportedAtOnce() {
    testServer.bots.start();
    long user = testServer.user(Optional.of(1));
    long meeting = active(user, "standup");
    launcher.exit(testServer.row(meeting).containerName(), 137);
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("crashed");
    assertThat(testServer.outcome(meeting).path("exit_code").asInt()).isEqualTo(137);
  }

  @Test
  void aScheduledBotIsLaunchedOnTimeAndTakesNoPlaceBefore() {
    testServer.bots.start();
    long user = testServer.user(Optional.of(1));
    Instant at = new BotStore(testServer.database).now().plusSeconds(2);
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody("later"));
    body.put("start_at", at.toString());
    long later =
        testServer.user(user, "POST", "/bots/start", body).expect(201).json().path("id").asLong();
    LaunchSpec spec = launched.await(BotsTestServer.SOON);
    assertThat(spec.meetingId()).isEqualTo(later);
    Instant now = new BotStore(testServer.database).now();
    assertThat(Duration.between(at, now)).isBetween(Duration.ZERO, Duration.ofSeconds(1));
  }

  @Test
  void aScheduledBotWithoutAPlaceEndsWithAReason() {
    testServer.bots.start();
    long user = testServer.user(Optional.of(1));
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody("later"));
    body.put("start_at", new BotStore(testServer.database).now().plusSeconds(1).toString());
    long later =
        testServer.user(user, "POST", "/bots/start", body).expect(201).json().path("id").asLong();
    long _ = start(user, "now");
    awaitStatus(later, MeetingStatus.FAILED);
    assertThat(testServer.outcome(later).path("reason").asString()).isEqualTo("bot_limit_reached");
  }

  private BotStore.LaunchClaim claim(BotRow row, String node, Duration lease) {
    return testServer
        .database
        .transaction(tx -> BotStore.claimLaunch(tx, row.id(), node, lease, "key"))
        .orElseThrow();
  }

  private long start(String room) {
    return start(testServer.user(Optional.of(1)), room);
  }

  private long start(long user, String room) {
    return testServer.start(user, room).expect(201).json().path("id").asLong();
  }

  private void stop(long user, long meeting) {
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
  }

  /** A bot in the meeting, with a running process. */
  private long active(long user, String room) {
    long meeting = start(user, room);
    BotRow row = testServer.row(meeting);
    if (row.handle().isEmpty()) {
      try {
        String handle =
            launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
        var _ = new BotStore(testServer.database).launched(row, handle);
      } catch (io.convoke.server.launch.LaunchException e) {
        throw new IllegalStateException(e);
      }
    }
    BotConfig bot = testServer.configOf(meeting);
    testServer.started(bot).expect(200);
    testServer.callback(bot, "joined", Map.of()).expect(200);
    return meeting;
  }

  private Meeting awaitStatus(long meeting, MeetingStatus status) {
    return moves.await(
        moved -> moved.id() == meeting && moved.status() == status, BotsTestServer.SOON);
  }
}
