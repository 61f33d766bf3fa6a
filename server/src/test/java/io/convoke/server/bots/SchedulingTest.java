package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Scheduled bots: on time, moved, cancelled, too late. */
class SchedulingTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final FakeLauncher launcher = new FakeLauncher();
  private final TestSignal.SignalObservation<LaunchSpec> launched = launcher.launched.observe();
  private final String database = MigratedDatabase.url();
  private final SecretBox secrets = SecretBox.of(SecretBox.newKey());
  private BotsTestServer testServer = testServer(terms -> terms);
  private TestSignal.SignalObservation<Meeting> moves = testServer.moves();
  private long user;

  @BeforeEach
  void settle() {
    user = testServer.user(Optional.of(5));
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void itIsLaunchedOnTimeAndShowsItsTime() {
    testServer.bots.start();
    Instant at = now().plusSeconds(2);
    long meeting = schedule("later", at);
    JsonNode status = status(meeting);
    assertThat(Instant.parse(status.path("start_at").asString())).isEqualTo(at);
    assertThat(Instant.parse(status.path("deadline").asString()))
        .isEqualTo(at.plus(Duration.ofMinutes(5)));
    assertLaunchedAt(meeting, at);
  }

  @Test
  void movedEarlierItIsLaunchedAtTheNewTime() {
    testServer.bots.start();
    long meeting = schedule("later", now().plusSeconds(90));
    Instant at = now().plusSeconds(2);
    move(meeting, at).expect(200);
    assertLaunchedAt(meeting, at);
    assertThat(events(meeting, "bot.rescheduled")).hasSize(1);
  }

  @Tag("nightly")
  @Test
  void movedLaterNothingHappensAtTheOldTime() {
    testServer.bots.start();
    Instant old = now().plusSeconds(2);
    long meeting = schedule("later", old);
    move(meeting, old.plus(Duration.ofHours(1))).expect(200);
    long next = schedule("a little later", old.plusMillis(500));
    assertLaunchedAt(next, old.plusMillis(500));
    assertThat(launcher.launches).hasSize(1);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
  }

  @Test
  void movedToNowItIsLaunchedAtOnce() {
    testServer.bots.start();
    long meeting = schedule("later", now().plus(Duration.ofDays(3)));
    Instant before = now();
    move(meeting, before.minusSeconds(5)).expect(200);
    assertLaunchedAt(meeting, before);
  }

  @Test
  void cancelledBeforeItsTimeItEndsAtOnceAndIsNeverLaunched() {
    testServer.bots.start();
    TestSignal.SignalObservation<Long> looked = testServer.bots.launching().handled().observe();
    long meeting = schedule("later", now().plusSeconds(90));
    long _ = looked.await(id -> id == meeting, BotsTestServer.SOON);
    Instant before = now();
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    awaitFailed(meeting, "stopped", "user");
    assertThat(Duration.between(before, now())).isLessThan(Duration.ofSeconds(10));
    assertThat(launcher.launches).isEmpty();
    move(meeting, now().plusSeconds(60)).expect(409);
  }

  @Test
  void anInvalidTimeIsRefusedWithAMessage() {
    for (String time :
        List.of(
            "tomorrow",
            "2026-13-01T00:00:00Z",
            now().minus(Duration.ofMinutes(6)).toString(),
            now().plus(Duration.ofDays(400)).toString())) {
      JsonNode problem = ask("later", time).expect(400).json();
      assertThat(problem.path("errors").path(0).path("field").asString()).isEqualTo("start_at");
      assertThat(problem.path("errors").path(0).path("message").asString()).isNotBlank();
    }
    long meeting = schedule("later", now().plusSeconds(60));
    move(meeting, now().minus(Duration.ofMinutes(6))).expect(400);
    testServer.user(user, "PUT", "/bots/schedule", Map.of("meeting_id", meeting)).expect(400);
    assertThat(ask("past", now().minusSeconds(30).toString()).expect(201).status())
        .as("a little late is now")
        .isEqualTo(201);
  }

  @Test
  void onlyWhoWaitsForItsTimeCanBeMovedAndOnlyByItsUser() {
    long waiting = schedule("later", now().plusSeconds(60));
    long other = testServer.user(Optional.of(1));
    testServer
        .user(
            other,
            "PUT",
            "/bots/schedule",
            Map.of("meeting_id", waiting, "start_at", now().toString()))
        .expect(404);
    long unscheduled = testServer.start(user, "now").expect(201).json().path("id").asLong();
    assertThat(move(unscheduled, now().plusSeconds(60)).expect(409).code())
        .isEqualTo("not_scheduled");
    claimedByAnotherNode(waiting, Duration.ofSeconds(30));
    move(waiting, now().plusSeconds(90)).expect(409);
  }

  @Tag("nightly")
  @Test
  void aServerThatStartsBeforeTheTimeIsOnTime() {
    testServer.bots.start();
    Instant at = now().plusSeconds(4);
    long meeting = schedule("later", at);
    Instant _ = restart();
    assertLaunchedAt(meeting, at);
  }

  @Test
  void aServerThatWasDownAtTheTimeLaunchesAtOnceWithinTheDeadline() {
    long meeting = schedule("later", now().plusSeconds(60));
    timePassesFor(meeting, Duration.ofMinutes(5));
    assertLaunchedAt(meeting, restart());
  }

  @Test
  void aServerThatWasDownPastTheDeadlineReportsIt() {
    long meeting = schedule("later", now().plusSeconds(60));
    timePassesFor(meeting, Duration.ofMinutes(7));
    Instant _ = restart();
    awaitFailed(meeting, "start_missed", "us");
    assertThat(launcher.launches).isEmpty();
    assertThat(events(meeting, "meeting.status_changed"))
        .last()
        .satisfies(
            event ->
                assertThat(event.path("data").path("reason").asString()).isEqualTo("start_missed"));
  }

  @Test
  void aBotThatWasLaunchedBeforeTheServerDiedIsNotMissed() throws Exception {
    long meeting = schedule("later", now().plusSeconds(60));
    BotRow row = testServer.row(meeting);
    String _ =
        launcher.launch(new LaunchSpec(meeting, 1, row.connectionId(), row.containerName(), "{}"));
    claimedByAnotherNode(meeting, Duration.ofSeconds(-1));
    timePassesFor(meeting, Duration.ofMinutes(7));
    Instant _ = restart();
    io.convoke.server.launch.Await.until(
        "the bot to be found", () -> testServer.row(meeting).handle().isPresent());
    assertThat(launcher.list()).extracting(Launcher.RunningBot::containerName).hasSize(1);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
  }

  @Test
  void withoutAPlaceAtItsTimeItEndsWithTheLimitThatRefusedIt() {
    testServer.bots.start();
    long poor = testServer.user(Optional.of(1));
    long meeting = scheduleOf(poor, "later", now().plusSeconds(2));
    testServer.start(poor, "first").expect(201);
    awaitFailed(meeting, "bot_limit_reached", "user");
  }

  @Tag("nightly")
  @Test
  void withoutAPlaceInTheFleetItEndsToo() {
    testServer.close();
    testServer = testServer(SchedulingTest::oneAtATime);
    moves = testServer.moves();
    testServer.bots.start();
    long meeting = schedule("later", now().plusSeconds(2));
    testServer.start(user, "first").expect(201);
    awaitFailed(meeting, "fleet_limit_reached", "us");
  }

  private static BotsConfig oneAtATime(BotsConfig terms) {
    return new BotsConfig(
        terms.heartbeatInterval(),
        false,
        Optional.of(1),
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

  private BotsTestServer testServer(UnaryOperator<BotsConfig> change) {
    return BotsTestServer.node(
        database,
        LocalStores.forTests().redis().url(),
        secrets,
        BotsTestServer.freePort(),
        launcher,
        change);
  }

  /** The server dies and the next one starts. Returns when it began its work. */
  private Instant restart() {
    testServer.close();
    testServer = testServer(terms -> terms);
    moves = testServer.moves();
    Instant back = now();
    testServer.bots.start();
    return back;
  }

  private Instant now() {
    return new BotStore(testServer.database).now().truncatedTo(ChronoUnit.MILLIS);
  }

  private long schedule(String room, Instant at) {
    return scheduleOf(user, room, at);
  }

  private long scheduleOf(long owner, String room, Instant at) {
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody(room));
    body.put("start_at", at.toString());
    return testServer
        .user(owner, "POST", "/bots/start", body)
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private BotsTestServer.Answered ask(String room, String time) {
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody(room));
    body.put("start_at", time);
    return testServer.user(user, "POST", "/bots/start", body);
  }

  private BotsTestServer.Answered move(long meeting, Instant at) {
    return testServer.user(
        user, "PUT", "/bots/schedule", Map.of("meeting_id", meeting, "start_at", at.toString()));
  }

  private JsonNode status(long meeting) {
    return testServer.get(user, "/bots/status?meeting_id=" + meeting).expect(200).json();
  }

  private void assertLaunchedAt(long meeting, Instant at) {
    LaunchSpec spec = launched.await(BotsTestServer.SOON);
    assertThat(spec.meetingId()).isEqualTo(meeting);
    assertThat(Duration.between(at, now())).isBetween(Duration.ZERO, SECOND);
  }

  private void awaitFailed(long meeting, String reason, String attribution) {
    Meeting _ =
        moves.await(
            moved -> moved.id() == meeting && moved.status() == MeetingStatus.FAILED,
            BotsTestServer.SOON);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo(reason);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo(attribution);
  }

  private List<JsonNode> events(long meeting, String type) {
    return testServer
        .get(user, "/meetings/" + meeting + "/timeline")
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .filter(event -> event.path("type").asString().equals(type))
        .toList();
  }

  private void timePassesFor(long meeting, Duration time) {
    int _ =
        testServer.database.read(
            tx ->
                tx.sql(
                        """
                        update meetings set start_at = start_at - ? * interval '1 ms',
                          created_at = created_at - ? * interval '1 ms',
                          state_entered_at = state_entered_at - ? * interval '1 ms'
                        where id = ?
                        """)
                    .with(time, time, time, meeting)
                    .update());
  }

  private void claimedByAnotherNode(long meeting, Duration lease) {
    int _ =
        testServer.database.read(
            tx ->
                tx.sql(
                        """
                        insert into bot_launches (meeting_id, attempt, node, lease_until)
                        values (?, 1, 'another-node', now() + ? * interval '1 ms')
                        """)
                    .with(meeting, lease)
                    .update());
  }
}
