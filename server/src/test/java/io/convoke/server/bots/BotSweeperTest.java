package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The sweeper finds missed events, and discounts downtime of the servers (bots-10 to bots-13; F-01,
 * F-04, F-11, #173).
 */
class BotSweeperTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private final String database = MigratedDatabase.url();
  private final BotsTestServer testServer = node();
  private final long user = testServer.user(Optional.empty());

  @AfterEach
  void close() {
    testServer.close();
  }

  private BotsTestServer node() {
    return BotsTestServer.node(
        database,
        LocalStores.forTests().redis().url(),
        SecretBox.of(SecretBox.newKey()),
        BotsTestServer.freePort(),
        launcher,
        BotSweeperTest::capped);
  }

  private static BotsConfig capped(BotsConfig terms) {
    return new BotsConfig(
        terms.heartbeatInterval(),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.of(3),
        terms.reservedTimeout(),
        terms.startingTimeout(),
        terms.heartbeatTimeout(),
        terms.stoppingTimeout(),
        terms.sweepInterval(),
        Duration.ZERO,
        terms.callbackUrl(),
        terms.redisUrl());
  }

  @Test
  void eachStateIsFailedAfterItsOwnTimeAndNotBefore() throws Exception {
    long reserved = reserved("a");
    long starting = starting("b");
    long active = active("c");
    testServer.upForEver();
    launcher.alive.clear();

    testServer.age(reserved, Duration.ofMinutes(4));
    testServer.age(starting, Duration.ofMinutes(9));
    testServer.age(active, Duration.ofSeconds(110));
    assertThat(sweep().ended()).isZero();

    testServer.age(reserved, Duration.ofMinutes(2));
    testServer.age(starting, Duration.ofMinutes(2));
    testServer.age(active, Duration.ofSeconds(20));
    assertThat(sweep().ended()).isEqualTo(3);
    assertThat(reason(reserved)).isEqualTo("never_started");
    assertThat(reason(starting)).isEqualTo("join_timeout");
    assertThat(reason(active)).isEqualTo("heartbeat_lost");
    assertThat(testServer.row(active).meeting().endTime()).isPresent();
  }

  @Test
  void aBotThatIsStuckWhileItLeavesIsEnded() throws Exception {
    long meeting = active("a");
    BotConfig bot = testServer.configOf(meeting);
    testServer.callback(bot, "status", Map.of("status", "stopping")).expect(200);
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(3));
    assertThat(sweep().ended()).isEqualTo(1);
    assertThat(reason(meeting)).isEqualTo("leave_timeout");
    assertThat(launcher.stops).hasSize(1);
  }

  @Test
  void aSilentBotThatRunsIsEndedBeforeItsRowIs() throws Exception {
    long meeting = active("a");
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(5));
    assertThat(sweep().ended()).isEqualTo(1);
    assertThat(launcher.stops).containsExactly(testServer.row(meeting).containerName());
    assertThat(launcher.alive).isEmpty();
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
  }

  @Test
  void aBotThatLeavesWhileTheServerEndsItEndsForTheServersReason() throws Exception {
    long booting = reserved("slow");
    long silent = active("silent");
    BotConfig slow = testServer.configOf(booting);
    BotConfig quiet = testServer.configOf(silent);
    launcher.lastDeed =
        spec -> {
          BotConfig bot =
              ContainerNames.meetingId(spec.containerName()).orElseThrow() == booting
                  ? slow
                  : quiet;
          if (bot.equals(slow)) {
            testServer.started(bot).expect(200);
          }
          testServer
              .callback(bot, "status", Map.of("status", "stopping", "reason", "terminated"))
              .expect(200);
          testServer
              .callback(bot, "exited", Map.of("exit_code", 143, "reason", "terminated"))
              .expect(200);
        };
    testServer.upForEver();
    testServer.age(booting, Duration.ofMinutes(6));
    testServer.age(silent, Duration.ofMinutes(5));
    assertThat(sweep().ended()).isEqualTo(2);
    assertThat(reason(booting)).isEqualTo("never_started");
    assertThat(reason(silent)).isEqualTo("heartbeat_lost");
    assertThat(testServer.outcome(silent).path("exit_code").asInt()).isEqualTo(143);
    testServer
        .callback(quiet, "exited", Map.of("exit_code", 143, "reason", "terminated"))
        .expect(200);
    List<String> told = new ArrayList<>();
    BotReplay.ReplayResult _ = BotReplay.run(testServer.database, told::add);
    assertThat(told)
        .as("moves that the reducer would not make")
        .noneMatch(it -> it.contains("reducer"));
  }

  @Test
  void aBotThatCallsAgainAfterAFailedEndEndsForItsOwnReason() throws Exception {
    long meeting = active("a");
    BotConfig bot = testServer.configOf(meeting);
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(5));
    launcher.surviving = true;
    assertThat(sweep().unreachable()).isEqualTo(1);
    assertThat(testServer.row(meeting).ending()).contains("heartbeat_lost");

    testServer.callback(bot, "heartbeat", Map.of()).expect(200);
    assertThat(testServer.row(meeting).ending()).isEmpty();
    testServer
        .callback(bot, "exited", Map.of("exit_code", 0, "reason", "everyone_left"))
        .expect(200);
    assertThat(reason(meeting)).isEqualTo("everyone_left");
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.COMPLETED);
  }

  @Test
  void aLauncherOutOfReachIsAnAlarmAndNoEvidence() throws Exception {
    long meeting = active("a");
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(5));
    launcher.unreachable = true;
    BotSweeper.BotSweepResult botSweepResult = sweep();
    assertThat(botSweepResult.unreachable()).isEqualTo(1);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
  }

  @Test
  void afterOurOwnAbsenceEveryDeadlineCountsFromNow() throws Exception {
    long meeting = active("a");
    testServer.age(meeting, Duration.ofHours(1));
    assertThat(sweep().ended()).as("the first sweep after an absence").isZero();
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
    testServer.callback(testServer.configOf(meeting), "heartbeat", Map.of()).expect(200);
    testServer.upForEver();
    assertThat(sweep().ended()).isZero();
  }

  @Test
  void aRowThatCannotBeSettledAtTheStartStopsNeitherTheOthersNorTheSweeps() throws Exception {
    long odd = active("odd");
    long gone = active("gone");
    launcher.failingProbes.add(testServer.row(odd).handle().orElseThrow());
    launcher.alive.clear();
    TestSignal.SignalObservation<BotSweeper.BotSweepResult> swept =
        testServer.bots.sweeper().swept().observe();
    testServer.bots.start();
    assertThat(swept.await(BotsTestServer.SOON).ours()).isTrue();
    assertThat(testServer.status(gone).terminal()).isTrue();
    assertThat(testServer.status(odd)).isEqualTo(MeetingStatus.ACTIVE);
  }

  @Test
  void oneSweepFailsOnlySoMany() throws Exception {
    List<Long> silent = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      silent.add(active("room-" + i));
    }
    silent.forEach(meeting -> testServer.age(meeting, Duration.ofMinutes(5)));
    testServer.upForEver();
    BotSweeper.BotSweepResult first = sweep();
    assertThat(first.capped()).isTrue();
    assertThat(first.ended()).isEqualTo(3);
    BotSweeper.BotSweepResult second = sweep();
    assertThat(second.capped()).isFalse();
    assertThat(second.ended()).isEqualTo(2);
  }

  @Test
  void serversWithOneEngineFailTogetherNoMoreThanOneSweepMay() throws Exception {
    for (int i = 0; i < 12; i++) {
      testServer.age(reserved("room-" + i), Duration.ofMinutes(30));
    }
    testServer.upForEver();
    try (BotsTestServer other = node()) {
      for (int sweeps = 0; sweeps < 4; sweeps++) {
        assertThat(sweep().ended()).isEqualTo(3);
        BotSweeper.BotSweepResult others = other.bots.sweeper().sweep();
        assertThat(others.ours()).isFalse();
        assertThat(others.ended()).isZero();
      }
    }
  }

  @Test
  void whoCannotBeReachedDoesNotKeepTheOthersWaiting() throws Exception {
    List<Long> unreachable = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      unreachable.add(active("away-" + i));
    }
    long silent = active("here");
    testServer.upForEver();
    unreachable.forEach(meeting -> testServer.age(meeting, Duration.ofMinutes(9)));
    testServer.age(silent, Duration.ofMinutes(5));
    unreachable.forEach(meeting -> launcher.lost.add(testServer.row(meeting).containerName()));

    assertThat(sweep().unreachable()).isEqualTo(3);
    assertThat(testServer.status(silent)).isEqualTo(MeetingStatus.ACTIVE);
    BotSweeper.BotSweepResult second = sweep();
    assertThat(second.ended()).isEqualTo(1);
    assertThat(second.unreachable()).isEqualTo(2);
    assertThat(reason(silent)).isEqualTo("heartbeat_lost");
  }

  @Test
  void aLongWaitInTheLobbyThatWasGrantedIsNotCutShort() throws Exception {
    Map<String, Object> body = new java.util.HashMap<>(BotsTestServer.startBody("lobby"));
    body.put("automatic_leave", Map.of("waiting_room_timeout", 1800));
    long meeting =
        testServer.user(user, "POST", "/bots/start", body).expect(201).json().path("id").asLong();
    launch(meeting);
    testServer.started(testServer.configOf(meeting)).expect(200);
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(30));
    assertThat(sweep().ended()).isZero();
    testServer.age(meeting, Duration.ofMinutes(2));
    assertThat(sweep().ended()).isEqualTo(1);
  }

  @Test
  void aBotWithoutALiveRowIsEnded() throws Exception {
    long meeting = active("a");
    testServer.callback(testServer.configOf(meeting), "exited", Map.of("exit_code", 0)).expect(200);
    int _ =
        testServer.database.read(
            tx ->
                tx.sql("update meetings set end_time = end_time - interval '1 minute' where id = ?")
                    .with(meeting)
                    .update());
    String unknown = "convoke-bot-999999-1-0123abcd";
    String _ = launcher.launch(new LaunchSpec(999999, 1, "connection", unknown, "{}"));
    assertThat(sweep().orphans()).isEqualTo(2);
    assertThat(launcher.alive).isEmpty();
  }

  @Test
  void botsWithoutLiveRowsAreEndedSideBySide() throws Exception {
    CountDownLatch bothEnd = new CountDownLatch(2);
    List<Boolean> together = new CopyOnWriteArrayList<>();
    launcher.lastDeed =
        _ -> {
          bothEnd.countDown();
          together.add(reached(bothEnd));
        };
    for (long meeting = 999_998; meeting <= 999_999; meeting++) {
      String name = "convoke-bot-" + meeting + "-1-0123abcd";
      String _ = launcher.launch(new LaunchSpec(meeting, 1, "connection", name, "{}"));
    }
    assertThat(sweep().orphans()).isEqualTo(2);
    assertThat(together).containsExactly(true, true);
    assertThat(launcher.alive).isEmpty();
  }

  private static boolean reached(CountDownLatch latch) {
    try {
      return latch.await(BotsTestServer.SOON.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void oneNodeAtATimeSweeps() {
    SweepStore sweeps = new SweepStore(testServer.database, testServer.terms);
    assertThat(sweeps.tryAcquire("one")).isPresent();
    assertThat(sweeps.tryAcquire("other")).isEmpty();
    assertThat(sweeps.tryAcquire("one")).isPresent();
  }

  @Test
  void theStatementAndTheTableOfDeadlinesAgree() throws Exception {
    testServer.upForEver();
    BotDeadlines botDeadlines = new BotDeadlines(testServer.terms);
    SweepStore sweeps = new SweepStore(testServer.database, testServer.terms);
    BotStore store = new BotStore(testServer.database);
    List<Long> bots = List.of(reserved("a"), starting("b"), active("c"), stoppedActive("d"));
    for (int minute = 0; minute < 13; minute++) {
      bots.forEach(bot -> testServer.age(bot, Duration.ofSeconds(61)));
      var now = store.now();
      List<Long> due =
          sweeps.due(java.time.Instant.EPOCH, 100).stream().map(BotRow::id).sorted().toList();
      List<Long> expected =
          bots.stream()
              .filter(bot -> botDeadlines.of(testServer.row(bot)).orElseThrow().isBefore(now))
              .toList();
      assertThat(due).as("after %d minutes", minute + 1).isEqualTo(expected);
    }
  }

  private BotSweeper.BotSweepResult sweep() {
    BotSweeper.BotSweepResult botSweepResult = testServer.bots.sweeper().sweep();
    assertThat(botSweepResult.ours()).isTrue();
    return botSweepResult;
  }

  private String reason(long meeting) {
    return testServer.outcome(meeting).path("reason").asString();
  }

  private long reserved(String room) throws LaunchException {
    long meeting = testServer.start(user, room).expect(201).json().path("id").asLong();
    launch(meeting);
    return meeting;
  }

  private long starting(String room) throws LaunchException {
    long meeting = reserved(room);
    testServer.started(testServer.configOf(meeting)).expect(200);
    return meeting;
  }

  private long active(String room) throws LaunchException {
    long meeting = starting(room);
    testServer.callback(testServer.configOf(meeting), "joined", Map.of()).expect(200);
    return meeting;
  }

  private long stoppedActive(String room) throws LaunchException {
    long meeting = active(room);
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    return meeting;
  }

  private void launch(long meeting) throws LaunchException {
    BotRow row = testServer.row(meeting);
    String handle =
        launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    var _ = new BotStore(testServer.database).launched(row, handle);
  }
}
