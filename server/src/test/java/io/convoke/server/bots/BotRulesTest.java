package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.bots.BotRulesConfig.NoProgressAction;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The rules by which the server asks a bot to leave: lifetime, silence, no progress. */
class BotRulesTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private BotsTestServer testServer = BotsTestServer.open(launcher);
  private long user = testServer.user(Optional.empty());

  /** Undoes what {@link #back} did to times that the journal has too. */
  private final List<Runnable> undo = new ArrayList<>();

  @AfterEach
  void close() {
    undo.forEach(Runnable::run);
    List<String> told = new ArrayList<>();
    assertThat(BotReplay.run(testServer.database, told::add).differences())
        .as("the journal reproduces what rules ended: " + told)
        .isZero();
    testServer.close();
  }

  @Test
  void aBotIsAskedToLeaveAtTheEndOfItsLifetimeAndCompletesForThatReason() throws Exception {
    long meeting = active("long", Map.of());
    testServer.upForEver();
    back(meeting, "start_time", Duration.ofHours(8).minusMinutes(1));
    sweep();
    assertThat(actions(meeting)).isEmpty();
    back(meeting, "start_time", Duration.ofMinutes(2));
    sweep();
    sweep();
    assertThat(actions(meeting)).as("told once").containsExactly("leave");
    JsonNode status = status(meeting);
    assertThat(status.path("end_request").path("reason").asString()).isEqualTo("max_lifetime");
    assertThat(status.path("desired").asString()).as("no user asked").isEqualTo("run");

    testServer
        .callback(bot(meeting), "status", Map.of("status", "stopping", "reason", "stopped"))
        .expect(200);
    testServer
        .callback(bot(meeting), "exited", Map.of("exit_code", 0, "reason", "stopped"))
        .expect(200);
    ended(meeting, MeetingStatus.COMPLETED, "max_lifetime", "us");
  }

  @Test
  void theRequestNamesALifetimeWithinTheOperatorsLimit() throws Exception {
    long meeting = active("short", Map.of("max_lifetime", 60));
    long other = active("usual", Map.of());
    back(meeting, "start_time", Duration.ofSeconds(61));
    back(other, "start_time", Duration.ofSeconds(61));
    sweep();
    assertThat(actions(meeting)).containsExactly("leave");
    assertThat(actions(other)).isEmpty();
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody("eternal"));
    body.put("automatic_leave", Map.of("max_lifetime", 25 * 3600));
    JsonNode refused = testServer.user(user, "POST", "/bots/start", body).expect(400).json();
    assertThat(refused.path("errors").path(0).path("field").asString())
        .isEqualTo("automatic_leave.max_lifetime");
  }

  @Test
  void aBotThatDoesNotLeaveIsEndedForTheSameReason() throws Exception {
    long meeting = active("deaf", Map.of("max_lifetime", 60));
    testServer.upForEver();
    back(meeting, "start_time", Duration.ofSeconds(61));
    sweep();
    testServer.callback(bot(meeting), "heartbeat", Map.of()).expect(200);
    assertThat(sweep().ended()).isZero();
    back(meeting, "end_requested_at", testServer.terms.stoppingTimeout().plusSeconds(1));
    testServer.callback(bot(meeting), "heartbeat", Map.of()).expect(200);
    assertThat(sweep().ended()).isEqualTo(1);
    assertThat(launcher.stops).hasSize(1);
    ended(meeting, MeetingStatus.FAILED, "max_lifetime", "us");
  }

  @Test
  void aStopOfTheUserCountsEvenAfterTheRule() throws Exception {
    long meeting = active("both", Map.of("max_lifetime", 60));
    back(meeting, "start_time", Duration.ofSeconds(61));
    sweep();
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    assertThat(actions(meeting)).containsExactly("leave", "leave");
    testServer.callback(bot(meeting), "exited", Map.of("exit_code", 0)).expect(200);
    ended(meeting, MeetingStatus.COMPLETED, "stopped", "user");
  }

  @Test
  void silenceEndsABotOnlyWhereItWasAskedFor() throws Exception {
    long asked = active("asked", Map.of("silence_timeout", 300));
    long other = active("other", Map.of());
    testServer.upForEver();
    for (long meeting : List.of(asked, other)) {
      back(meeting, "admitted_at", Duration.ofMinutes(30));
    }
    speaks(asked);
    sweep();
    assertThat(actions(asked)).as("a transcript is speech").isEmpty();
    back(asked, "spoke_at", Duration.ofSeconds(301));
    testServer
        .callback(
            bot(asked),
            "heartbeat",
            Map.of("progress", Map.of("last_speech_at", Instant.now().toString())))
        .expect(200);
    sweep();
    assertThat(actions(asked)).as("so is what a heartbeat reports").isEmpty();
    back(asked, "spoke_at", Duration.ofSeconds(301));
    testServer.callback(bot(asked), "heartbeat", Map.of()).expect(200);
    hears(asked, 1);
    sweep();
    assertThat(actions(asked)).as("other heartbeats are not").containsExactly("leave");
    assertThat(actions(other)).isEmpty();
    testServer.callback(bot(asked), "exited", Map.of("exit_code", 0)).expect(200);
    ended(asked, MeetingStatus.COMPLETED, "silence", "host");
  }

  @Test
  void ourOwnAbsenceIsNoSilence() throws Exception {
    long meeting = active("absent", Map.of("silence_timeout", 300));
    back(meeting, "admitted_at", Duration.ofMinutes(30));
    sweep();
    assertThat(actions(meeting)).isEmpty();
  }

  @Test
  void reportsThatDoNotGrowAreAWarningOnceUntilTheyGrowAgain() throws Exception {
    long meeting = active("stuck", Map.of());
    long mute = active("mute", Map.of());
    testServer.upForEver();
    hears(meeting, 12.5);
    testServer
        .callback(bot(mute), "heartbeat", Map.of("progress", Map.of("participants", 2)))
        .expect(200);
    back(meeting, "admitted_at", Duration.ofMinutes(30));
    back(meeting, "progressed_at", Duration.ofMinutes(11));
    hears(meeting, 12.5);
    sweep();
    sweep();
    assertThat(warnings(meeting)).isEqualTo(1);
    assertThat(warnings(mute)).as("it reports no sound").isZero();
    assertThat(actions(meeting)).isEmpty();
    JsonNode progress = status(meeting).path("progress");
    assertThat(progress.path("audio_seconds").asDouble()).isEqualTo(12.5);
    assertThat(progress.path("stalled_since").isString()).isTrue();
    hears(meeting, 13);
    assertThat(status(meeting).path("progress").path("stalled_since").isNull()).isTrue();
    back(meeting, "progressed_at", Duration.ofMinutes(11));
    sweep();
    assertThat(warnings(meeting)).isEqualTo(2);
  }

  @Test
  void anOperatorMayEndBotsWithoutProgress() throws Exception {
    testServer.close();
    undo.clear();
    testServer = BotsTestServer.open(launcher, BotRulesTest::endsStalled);
    user = testServer.user(Optional.empty());
    long meeting = active("stuck", Map.of());
    testServer.upForEver();
    hears(meeting, 1);
    back(meeting, "admitted_at", Duration.ofMinutes(30));
    back(meeting, "progressed_at", Duration.ofMinutes(11));
    sweep();
    assertThat(warnings(meeting)).isEqualTo(1);
    assertThat(actions(meeting)).containsExactly("leave");
    testServer.callback(bot(meeting), "exited", Map.of("exit_code", 0)).expect(200);
    ended(meeting, MeetingStatus.COMPLETED, "no_progress", "us");
  }

  @Test
  void timeInTheLobbyIsNotWithoutProgress() throws Exception {
    long meeting = starting("lobby", Map.of());
    testServer.upForEver();
    hears(meeting, 1);
    back(meeting, "progressed_at", Duration.ofMinutes(30));
    testServer.callback(bot(meeting), "joined", Map.of()).expect(200);
    sweep();
    assertThat(warnings(meeting)).as("just let in").isZero();
    // The rule itself, not only the statement that looks for suspects.
    assertThat(
            new BotRuleCheck(testServer.terms.rules())
                .broken(testServer.row(meeting), Instant.now(), Instant.EPOCH))
        .isEmpty();
    back(meeting, "admitted_at", Duration.ofMinutes(11));
    sweep();
    assertThat(warnings(meeting)).isEqualTo(1);
  }

  @Test
  void oneSweepAsksOnlySoManyForWhatTheyDoNotReport() throws Exception {
    testServer.close();
    undo.clear();
    testServer = BotsTestServer.open(launcher, terms -> endsStalled(withSweepCapOfTwo(terms)));
    user = testServer.user(Optional.empty());
    testServer.upForEver();
    List<Long> unheard = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      long stuck = active("stuck-" + i, Map.of());
      hears(stuck, 1);
      back(stuck, "admitted_at", Duration.ofMinutes(30));
      back(stuck, "progressed_at", Duration.ofMinutes(11));
      long silent = active("silent-" + i, Map.of("silence_timeout", 300));
      back(silent, "admitted_at", Duration.ofMinutes(30));
      unheard.addAll(List.of(stuck, silent));
    }
    List<Long> old = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      old.add(active("old-" + i, Map.of("max_lifetime", 60)));
      back(old.getLast(), "start_time", Duration.ofSeconds(61));
    }
    assertThat(sweep().capped()).isTrue();
    assertThat(unheard).filteredOn(meeting -> !actions(meeting).isEmpty()).hasSize(2);
    assertThat(old).as("a lifetime is no report").noneMatch(meeting -> actions(meeting).isEmpty());
    assertThat(sweep().capped()).isFalse();
    assertThat(unheard).noneMatch(meeting -> actions(meeting).isEmpty());
  }

  @Test
  void aBotInTheLobbyShowsItAndFailsBecauseItWasNotLetIn() throws Exception {
    long meeting = starting("lobby", Map.of());
    assertThat(status(meeting).path("substatus").isNull()).isTrue();
    testServer.callback(bot(meeting), "awaiting_admission", Map.of()).expect(200);
    testServer.callback(bot(meeting), "awaiting_admission", Map.of()).expect(200);
    JsonNode status = status(meeting);
    assertThat(status.path("status").asString()).isEqualTo("starting");
    assertThat(status.path("substatus").asString()).isEqualTo("awaiting_admission");
    assertThat(status.path("lobby_since").isString()).isTrue();
    assertThat(
            testServer
                .get(user, "/meetings/" + meeting)
                .expect(200)
                .json()
                .path("substatus")
                .asString())
        .isEqualTo("awaiting_admission");
    assertThat(events("bot.awaiting_admission", meeting)).isEqualTo(1);
    testServer.upForEver();
    testServer.age(meeting, Duration.ofMinutes(11));
    assertThat(sweep().ended()).isEqualTo(1);
    ended(meeting, MeetingStatus.FAILED, "waiting_room_timeout", "host");
  }

  @Test
  void aBotThatWasLetInWaitsForNothing() throws Exception {
    long meeting = starting("in", Map.of());
    testServer.callback(bot(meeting), "awaiting_admission", Map.of()).expect(200);
    testServer.callback(bot(meeting), "joined", Map.of()).expect(200);
    testServer.callback(bot(meeting), "awaiting_admission", Map.of()).expect(200);
    assertThat(status(meeting).path("substatus").isNull()).isTrue();
    assertThat(status(meeting).path("status").asString()).isEqualTo("active");
  }

  private static BotsConfig withSweepCapOfTwo(BotsConfig terms) {
    return new BotsConfig(
        terms.heartbeatInterval(),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.of(2),
        terms.reservedTimeout(),
        terms.startingTimeout(),
        terms.heartbeatTimeout(),
        terms.stoppingTimeout(),
        terms.sweepInterval(),
        Duration.ZERO,
        terms.callbackUrl(),
        terms.redisUrl());
  }

  private static BotsConfig endsStalled(BotsConfig terms) {
    BotRulesConfig usual = BotRulesConfig.DEFAULT;
    return terms.under(
        new BotRulesConfig(
            usual.maxLifetime(),
            usual.maxLifetimeLimit(),
            NoProgressAction.END,
            usual.noProgressAfter(),
            usual.queueTimeout(),
            usual.queueMax()));
  }

  private BotSweeper.BotSweepResult sweep() {
    return testServer.bots.sweeper().sweep();
  }

  private void hears(long meeting, double seconds) {
    testServer
        .callback(bot(meeting), "heartbeat", Map.of("progress", Map.of("audio_seconds", seconds)))
        .expect(200);
  }

  private void speaks(long meeting) {
    testServer
        .callback(
            bot(meeting),
            "transcript",
            Map.of("segments", List.of(Map.of("start", 0, "end", 1, "text", "Hello"))))
        .expect(200);
  }

  private void ended(long meeting, MeetingStatus status, String reason, String attribution) {
    assertThat(testServer.status(meeting)).isEqualTo(status);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo(reason);
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo(attribution);
  }

  private JsonNode status(long meeting) {
    return testServer.get(user, "/bots/status?meeting_id=" + meeting).expect(200).json();
  }

  private List<String> actions(long meeting) {
    return status(meeting).path("pending_commands").findValuesAsString("action");
  }

  private long warnings(long meeting) {
    return events("bot.no_progress", meeting);
  }

  private long events(String type, long meeting) {
    return testServer.database.read(
        tx ->
            tx.sql("select count(*) as n from events where type = ? and subject = ?")
                .with(type, "meeting:" + meeting)
                .one(resultRow -> resultRow.longAt("n")));
  }

  /** Moves one time of a row into the past. */
  private void back(long meeting, String column, Duration by) {
    move(meeting, column, by);
    if (List.of("start_time", "admitted_at").contains(column)) {
      undo.add(() -> move(meeting, column, by.negated()));
    }
  }

  private void move(long meeting, String column, Duration by) {
    int moved =
        testServer.database.read(
            tx ->
                tx.sql(
                        "update meetings set COLUMN = COLUMN - ? * interval '1 ms' where id = ?"
                            .replace("COLUMN", column))
                    .with(by, meeting)
                    .update());
    assertThat(moved).isEqualTo(1);
  }

  private io.convoke.agent.BotConfig bot(long meeting) {
    return testServer.configOf(meeting);
  }

  private long active(String room, Map<String, Object> rules) throws Exception {
    long meeting = starting(room, rules);
    testServer.callback(bot(meeting), "joined", Map.of()).expect(200);
    return meeting;
  }

  private long starting(String room, Map<String, Object> rules) throws Exception {
    Map<String, Object> body = new HashMap<>(BotsTestServer.startBody(room));
    body.put("automatic_leave", rules);
    long meeting =
        testServer.user(user, "POST", "/bots/start", body).expect(201).json().path("id").asLong();
    BotRow row = testServer.row(meeting);
    String handle =
        launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    var _ = new BotStore(testServer.database).launched(row, handle);
    testServer.started(bot(meeting)).expect(200);
    return meeting;
  }
}
