package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** From the reserved row to the launched bot, or to its failure (F-01, F-02, F-10, F-11, F-16). */
class LaunchWorkerTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer house = BotsTestServer.open(launcher, LaunchWorkerTest::quick);
  private final TestSignal.SignalObservation<LaunchSpec> launched = launcher.launched.observe();
  private final TestSignal.SignalObservation<Meeting> moves = house.moves();

  @AfterEach
  void close() {
    house.close();
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
    house.bots.start();
    long meeting = start("standup");
    LaunchSpec spec = launched.await(BotsTestServer.SOON);
    BotConfig told = BotsTestServer.config(spec);
    assertThat(told.meetingId()).isEqualTo(meeting);
    assertThat(told.connectionId()).isEqualTo(house.row(meeting).connectionId());
    assertThat(told.callbackUrl()).isEqualTo(house.url());
    house.started(told).expect(200);
    house.bots.launching().wake(meeting);
    assertThat(launcher.launches).hasSize(1);
  }

  @Test
  void aLaunchThatFailsIsFailedAtOnceAndFreesThePlace() {
    house.bots.start();
    launcher.failing = true;
    long user = house.user(Optional.of(1));
    long meeting = start(user, "standup");
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(house.outcome(meeting).path("reason").asString()).isEqualTo("start_failed");
    launcher.failing = false;
    long again = start(user, "standup");
    assertThat(launched.await(BotsTestServer.SOON).meetingId()).isEqualTo(again);
  }

  @Test
  void aCrashBetweenTheCommitAndTheLaunchIsPickedUpAtTheNextStart() {
    long meeting = start("standup");
    assertThat(launcher.launches).isEmpty();
    house.bots.start();
    assertThat(launched.await(BotsTestServer.SOON).meetingId()).isEqualTo(meeting);
  }

  @Test
  void aCrashBetweenTheLaunchAndItsNoteFindsTheSameBotAgain() throws Exception {
    long meeting = start("standup");
    BotRow row = house.row(meeting);
    String handle =
        launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    BotSweeper.BotSweepResult botSweepResult = house.bots.sweeper().sweep();
    assertThat(botSweepResult.orphans()).isZero();
    assertThat(house.row(meeting).handle()).contains(handle);
    assertThat(launcher.launches).hasSize(1);
  }

  @Test
  void aStopBeforeTheLaunchMeansThereIsNoLaunch() {
    long user = house.user(Optional.of(1));
    long meeting = start(user, "standup");
    stop(user, meeting);
    house.bots.start();
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(house.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    assertThat(house.outcome(meeting).path("attribution").asString()).isEqualTo("user");
    assertThat(launcher.launches).isEmpty();
  }

  @Test
  void aStopWhileTheBotBootsEndsItsProcess() {
    house.bots.start();
    long user = house.user(Optional.of(1));
    long meeting = start(user, "standup");
    LaunchSpec _ = launched.await(BotsTestServer.SOON);
    stop(user, meeting);
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(house.outcome(meeting).path("reason").asString()).isEqualTo("stopped");
    assertThat(launcher.alive).isEmpty();
  }

  @Test
  void aBotThatDoesNotObeyIsKilledAndOnlyThenTerminal() {
    house.bots.start();
    long user = house.user(Optional.of(1));
    long meeting = active(user, "standup");
    stop(user, meeting);
    Meeting end = awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(end.endTime()).isPresent();
    assertThat(launcher.stops).containsExactly(house.row(meeting).containerName());
    assertThat(house.outcome(meeting).path("reason").asString()).isEqualTo("stop_unheeded");
  }

  @Test
  void aStopAndAReconfigurationNeverWriteAStatus() {
    long user = house.user(Optional.of(1));
    long meeting = active(user, "standup");
    int _ =
        house.database.read(
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
    house
        .user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting, "bot_name", "Scribe"))
        .expect(202);
    stop(user, meeting);
    stop(user, meeting);
    long writes =
        house.database.read(
            tx ->
                tx.sql("select count(*) as writes from status_writes")
                    .one(resultRow -> resultRow.longAt("writes")));
    assertThat(writes).isZero();
    assertThat(house.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
    assertThat(
            house
                .get(user, "/bots/status?meeting_id=" + meeting)
                .expect(200)
                .json()
                .path("desired")
                .asString())
        .isEqualTo("stop");
  }

  @Test
  void aStopOfAMeetingThatIsOverIsAcceptedAndChangesNothing() {
    long user = house.user(Optional.of(1));
    long meeting = active(user, "standup");
    house.callback(house.configOf(meeting), "exited", Map.of("exit_code", 0)).expect(200);
    stop(user, meeting);
    assertThat(house.status(meeting)).isEqualTo(MeetingStatus.COMPLETED);
    assertThat(house.row(meeting).stopRequested()).isFalse();
    house
        .user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting, "language", "de"))
        .expect(409);
  }

  @Test
  void anotherUsersBotIsNotThere() {
    long user = house.user(Optional.of(1));
    long meeting = start(user, "standup");
    long other = house.user(Optional.of(1));
    house.get(other, "/bots/status?meeting_id=" + meeting).expect(404);
    house.user(other, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(404);
    house.get(other, "/meetings/" + meeting).expect(404);
    assertThat(house.row(meeting).stopRequested()).isFalse();
  }

  @Test
  void theExitOfAProcessIsReportedAtOnce() {
    house.bots.start();
    long user = house.user(Optional.of(1));
    long meeting = active(user, "standup");
    launcher.exit(house.row(meeting).containerName(), 137);
    awaitStatus(meeting, MeetingStatus.FAILED);
    assertThat(house.outcome(meeting).path("reason").asString()).isEqualTo("crashed");
    assertThat(house.outcome(meeting).path("exit_code").asInt()).isEqualTo(137);
  }

  @Test
  void aScheduledBotIsLaunchedOnTimeAndTakesNoPlaceBefore() {
    house.bots.start();
    long user = house.user(Optional.of(1));
    Instant at = new BotStore(house.database).now().plusSeconds(2);
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody("later"));
    body.put("start_at", at.toString());
    long later =
        house.user(user, "POST", "/bots/start", body).expect(201).json().path("id").asLong();
    LaunchSpec spec = launched.await(BotsTestServer.SOON);
    assertThat(spec.meetingId()).isEqualTo(later);
    Instant now = new BotStore(house.database).now();
    assertThat(Duration.between(at, now)).isBetween(Duration.ZERO, Duration.ofSeconds(1));
  }

  @Test
  void aScheduledBotWithoutAPlaceEndsWithAReason() {
    house.bots.start();
    long user = house.user(Optional.of(1));
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody("later"));
    body.put("start_at", new BotStore(house.database).now().plusSeconds(1).toString());
    long later =
        house.user(user, "POST", "/bots/start", body).expect(201).json().path("id").asLong();
    long _ = start(user, "now");
    awaitStatus(later, MeetingStatus.FAILED);
    assertThat(house.outcome(later).path("reason").asString()).isEqualTo("bot_limit_reached");
  }

  private long start(String room) {
    return start(house.user(Optional.of(1)), room);
  }

  private long start(long user, String room) {
    return house.start(user, room).expect(201).json().path("id").asLong();
  }

  private void stop(long user, long meeting) {
    house.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
  }

  /** A bot in the meeting, with a running process. */
  private long active(long user, String room) {
    long meeting = start(user, room);
    BotRow row = house.row(meeting);
    if (row.handle().isEmpty()) {
      try {
        String handle =
            launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
        var _ = new BotStore(house.database).launched(row, handle);
      } catch (io.convoke.server.launch.LaunchException e) {
        throw new IllegalStateException(e);
      }
    }
    BotConfig bot = house.configOf(meeting);
    house.started(bot).expect(200);
    house.callback(bot, "joined", Map.of()).expect(200);
    return meeting;
  }

  private Meeting awaitStatus(long meeting, MeetingStatus status) {
    return moves.await(
        moved -> moved.id() == meeting && moved.status() == status, BotsTestServer.SOON);
  }
}
