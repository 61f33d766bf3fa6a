package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.Await;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The operator's timeout for a silent bot in starting, shorter than the default lobby wait. */
class StartingTimeoutTest {
  private static final Duration BOUND = Duration.ofSeconds(2);

  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer =
      BotsTestServer.open(launcher, StartingTimeoutTest::shortStart);
  private final long user = testServer.user(Optional.empty());

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aSilentBotInStartingIsEndedAtTheOperatorsTimeout() {
    testServer.bots.start();
    TestSignal.SignalObservation<Meeting> moves = testServer.moves();
    long meeting = reserved(Map.of());
    Await.until("the launch", () -> testServer.row(meeting).handle().isPresent());
    testServer.started(testServer.configOf(meeting)).expect(200);
    Meeting failed = moves.await(of -> of.status() == MeetingStatus.FAILED, Duration.ofSeconds(30));
    assertThat(failed.id()).isEqualTo(meeting);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("join_timeout");
    assertThat(Duration.between(failed.startTime().orElseThrow(), failed.endTime().orElseThrow()))
        .isBetween(BOUND, BOUND.plusSeconds(10));
    assertThat(launcher.stops).hasSize(1);
  }

  @Test
  void aBotIsGivenTheWaitThatWasAskedForOrElseTheOperatorsTimeToStart() {
    testServer.bots.start();
    assertThat(givenWait(reserved(Map.of()))).isEqualTo(BOUND.dividedBy(2));
    assertThat(givenWait(reserved(Map.of("everyone_left_timeout", 5))))
        .isEqualTo(BOUND.dividedBy(2));
    assertThat(givenWait(reserved(Map.of("waiting_room_timeout", 7))))
        .isEqualTo(Duration.ofSeconds(7));
    assertThat(
            new BotDeadlines(BotsTestServer.config("http://127.0.0.1:1", Optional.empty()))
                .defaultLobbyWait())
        .as("of ten minutes")
        .isEqualTo(Duration.ofMinutes(9));
  }

  private Duration givenWait(long meeting) {
    Await.until("the launch", () -> testServer.row(meeting).handle().isPresent());
    return BotsTestServer.config(
            Objects.requireNonNull(launcher.alive.get(testServer.row(meeting).containerName())))
        .automaticLeave()
        .waitingRoom();
  }

  @Test
  void theStatusShowsTheBoundThatHolds() {
    assertThat(allowed(starting(Map.of()))).isEqualTo(BOUND);
    assertThat(allowed(starting(Map.of("no_one_joined_timeout", 900)))).isEqualTo(BOUND);
    assertThat(allowed(starting(Map.of("waiting_room_timeout", 1.5)))).isEqualTo(BOUND);
    assertThat(allowed(starting(Map.of("waiting_room_timeout", 1800))))
        .as("the wait that was asked for, and time to start and to say that it gave up")
        .isEqualTo(BotDeadlines.LOBBY_MARGIN.plusSeconds(1800));
  }

  @Test
  void aSweepThatTakesLongIsNoAbsenceOfOurs() {
    SweepStore sweeps = new SweepStore(testServer.database, testServer.terms);
    Instant upSince = sweeps.tryAcquire("one").orElseThrow().upSince();
    beganMinutesAgo();
    sweeps.ended("one");
    assertThat(sweeps.tryAcquire("one").orElseThrow().upSince()).isEqualTo(upSince);
    beganMinutesAgo();
    assertThat(sweeps.tryAcquire("one").orElseThrow().upSince()).isAfter(upSince);
  }

  private void beganMinutesAgo() {
    testServer.database.run(
        tx -> {
          int _ =
              tx.sql("update bot_sweep set swept_at = swept_at - interval '5 minutes'").update();
        });
  }

  private Duration allowed(long meeting) {
    JsonNode status = testServer.get(user, "/bots/status?meeting_id=" + meeting).expect(200).json();
    return Duration.between(
        Instant.parse(status.path("state_entered_at").asString()),
        Instant.parse(status.path("deadline").asString()));
  }

  private long starting(Map<String, Object> automaticLeave) {
    long meeting = reserved(automaticLeave);
    testServer.started(testServer.configOf(meeting)).expect(200);
    return meeting;
  }

  private long reserved(Map<String, Object> automaticLeave) {
    Map<String, Object> body =
        new HashMap<>(BotsTestServer.startBody("room-" + java.util.UUID.randomUUID()));
    if (!automaticLeave.isEmpty()) {
      body.put("automatic_leave", automaticLeave);
    }
    return testServer
        .user(user, "POST", "/bots/start", body)
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static BotsConfig shortStart(BotsConfig terms) {
    return new BotsConfig(
        terms.heartbeatInterval(),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        terms.reservedTimeout(),
        BOUND,
        terms.heartbeatTimeout(),
        terms.stoppingTimeout(),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        terms.callbackUrl(),
        terms.redisUrl());
  }
}
