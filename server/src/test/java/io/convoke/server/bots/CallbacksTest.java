package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.platform.BotRoomReport;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The callbacks of bots over HTTP (bots-5 to bots-9). */
class CallbacksTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private long user;
  private long meeting;
  private BotConfig bot;

  @BeforeEach
  void reserve() {
    user = testServer.user(Optional.of(3));
    meeting = testServer.start(user, "standup").expect(201).json().path("id").asLong();
    bot = testServer.configOf(meeting);
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aWholeLifecycleOverHttp() {
    JsonNode started = testServer.started(bot).expect(200).json();
    assertThat(started.path("status").asString()).isEqualTo("starting");
    assertThat(started.path("meeting_id").asLong()).isEqualTo(meeting);
    Instant startTime = testServer.row(meeting).meeting().startTime().orElseThrow();
    assertThat(sessions()).containsExactly(bot.connectionId());

    assertThat(report("joined", Map.of())).isEqualTo("active");
    testServer.callback(bot, "heartbeat", Map.of()).expect(200);
    assertThat(report("status", Map.of("status", "stopping"))).isEqualTo("stopping");
    assertThat(report("exited", Map.of("exit_code", 0, "reason", "everyone_left")))
        .isEqualTo("completed");

    BotRow row = testServer.row(meeting);
    assertThat(row.meeting().startTime()).contains(startTime);
    assertThat(row.meeting().endTime()).isPresent();
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("everyone_left");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("host");
    assertThat(testServer.outcome(meeting).path("stage").asString()).isEqualTo("stopping");
    assertThat(timeline())
        .containsExactly(
            "null>reserved",
            "reserved>starting",
            "starting>active",
            "active>stopping",
            "stopping>completed");
  }

  @Test
  void aRepeatedCallbackGetsTheSameAnswerAndChangesNothing() {
    String first = testServer.started(bot).expect(200).body();
    Instant startTime = testServer.row(meeting).meeting().startTime().orElseThrow();
    assertThat(testServer.started(bot).expect(200).body()).isEqualTo(first);
    assertThat(testServer.row(meeting).meeting().startTime()).contains(startTime);
    assertThat(sessions()).hasSize(1);
    String over = testServer.callback(bot, "exited", Map.of("exit_code", 4)).expect(200).body();
    assertThat(testServer.callback(bot, "exited", Map.of("exit_code", 4)).expect(200).body())
        .isEqualTo(over);
    assertThat(timeline()).hasSize(3);
  }

  @Test
  void anIllegalReportIsAConflictWithTheStatus() {
    JsonNode problem = testServer.callback(bot, "joined", Map.of()).expect(409).json();
    assertThat(problem.path("meeting_status").asString()).isEqualTo("reserved");
    testServer.callback(bot, "heartbeat", Map.of()).expect(409);
    testServer.callback(bot, "status", Map.of("status", "active")).expect(400);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
  }

  @Test
  void whatComesAfterTheEndIsGone() {
    testServer.started(bot).expect(200);
    testServer.callback(bot, "exited", Map.of("exit_code", 1)).expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    testServer.callback(bot, "joined", Map.of()).expect(410);
    testServer.callback(bot, "heartbeat", Map.of()).expect(410);
    testServer.started(bot).expect(410);
    testServer.callback(bot, "exited", Map.of("exit_code", 0)).expect(410);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
  }

  @Test
  void aReplacedAttemptIsGoneAndCannotWrite() {
    testServer.started(bot).expect(200);
    int _ =
        testServer.database.read(
            tx ->
                tx.sql(
                        "update meetings set attempt = 2, connection_id = gen_random_uuid()::text"
                            + " where id = ?")
                    .with(meeting)
                    .update());
    testServer.callback(bot, "joined", Map.of()).expect(410);
    testServer.callback(bot, "heartbeat", Map.of()).expect(410);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.STARTING);
  }

  @Test
  void aTokenIsGoodForItsOwnSessionAlone() {
    testServer.start(user, "planning").expect(201);
    long other = testServer.get(user, "/meetings").json().path("items").path(0).path("id").asLong();
    BotConfig stranger = testServer.configOf(other);
    testServer
        .callback(bot, "joined", Map.of("connection_id", stranger.connectionId()))
        .expect(403);
    testServer.callback(bot, "started", Map.of("meeting_id", other)).expect(403);
    testServer
        .call("POST", "/callback/joined", BotsTestServer.asUser(user), Map.of("connection_id", "x"))
        .expect(403);
    testServer
        .call(
            "POST",
            "/callback/joined",
            List.of("Authorization", "Bearer " + bot.token() + "x"),
            Map.of("connection_id", bot.connectionId()))
        .expect(401);
  }

  @Test
  void aHeartbeatIsInTheRowWhenItIsAnswered() {
    testServer.started(bot).expect(200);
    testServer.age(meeting, java.time.Duration.ofMinutes(1));
    Instant before = testServer.row(meeting).lastSign();
    testServer.callback(bot, "heartbeat", Map.of()).expect(200);
    assertThat(testServer.row(meeting).lastSign()).isAfter(before.plusSeconds(59));
  }

  @Test
  void commandsRideOnEveryAnswerUntilTheyAreAcknowledged() {
    testServer.started(bot).expect(200);
    testServer
        .user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting, "language", "fr"))
        .expect(202);
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
    JsonNode commands = testServer.callback(bot, "heartbeat", Map.of()).json().path("commands");
    assertThat(commands.findValuesAsString("action")).containsExactly("reconfigure", "leave");
    assertThat(commands.path(0).path("language").asString()).isEqualTo("fr");
    assertThat(testServer.callback(bot, "joined", Map.of()).json().path("commands")).hasSize(2);

    String id = commands.path(0).path("id").asString();
    testServer.callback(bot, "ack", Map.of("command_id", id)).expect(200);
    testServer.callback(bot, "ack", Map.of("command_id", id)).expect(200);
    testServer.callback(bot, "ack", Map.of("command_id", "none")).expect(404);
    assertThat(
            testServer
                .callback(bot, "heartbeat", Map.of())
                .json()
                .path("commands")
                .findValuesAsString("action"))
        .containsExactly("leave");
  }

  @Test
  void aSegmentThatComesTwiceIsKeptOnce() {
    testServer.started(bot).expect(200);
    List<Map<String, Object>> segments =
        List.of(
            Map.of("start", 1.0, "end", 2.5, "text", "Good morning", "speaker", "Ada"),
            Map.of("start", 3.0, "end", 4.0, "text", "Hm"));
    testServer.callback(bot, "transcript", Map.of("segments", segments)).expect(200);
    testServer.callback(bot, "transcript", Map.of("segments", segments)).expect(200);
    JsonNode transcript = testServer.get(user, "/transcripts/" + meeting).expect(200).json();
    assertThat(transcript.path("segments").findValuesAsString("text"))
        .containsExactly("Good morning", "Hm");
    assertThat(transcript.path("partial").asBoolean()).isTrue();
    assertThat(transcript.path("segments").path(0).path("session_uid").asString())
        .isEqualTo(bot.connectionId());
  }

  @Test
  void reportedParticipantsAreForwardedWhileTheMeetingIsLive() {
    Map<String, Object> seen =
        Map.of(
            "events",
            List.of(
                Map.of(
                    "id", "c:1",
                    "type", "joined",
                    "session_id", "s1",
                    "user_name", "Ada",
                    "joined_at", "2026-11-21T10:00:00.000Z",
                    "at", "2026-11-21T10:00:00.000Z"),
                Map.of(
                    "id", "c:2",
                    "type", "left",
                    "session_id", "s1",
                    "at", "2026-11-21T10:05:00.000Z")),
            "everybody",
            Map.of("at", "2026-11-21T10:05:01.000Z", "participants", List.of()));
    assertThat(testServer.callback(bot, "participants", seen).status()).isEqualTo(409);
    testServer.started(bot).expect(200);
    assertThat(
            testServer
                .callback(bot, "participants", seen)
                .expect(200)
                .json()
                .path("status")
                .asString())
        .isEqualTo("starting");

    assertThat(testServer.reports).hasSize(1);
    BotRoomReport report = testServer.reports.getFirst();
    Instant ten = Instant.parse("2026-11-21T10:00:00Z");
    assertThat(report.events())
        .containsExactly(
            new PresenceEvent(
                "c:1",
                PresenceEvent.PresenceEventKind.JOINED,
                "",
                "s1",
                Optional.empty(),
                Optional.of("Ada"),
                Optional.of(ten),
                ten,
                false,
                true),
            new PresenceEvent(
                "c:2",
                PresenceEvent.PresenceEventKind.LEFT,
                "",
                "s1",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                ten.plusSeconds(300),
                false,
                true));
    assertThat(report.everybody())
        .contains(new RoomPresence.RoomPresenceComplete(List.of(), ten.plusSeconds(301)));

    testServer
        .callback(bot, "participants", Map.of("events", List.of(Map.of("id", "x"))))
        .expect(400);
    testServer.callback(bot, "exited", Map.of("exit_code", 4)).expect(200);
    testServer.callback(bot, "participants", seen).expect(410);
    assertThat(testServer.reports).hasSize(1);
  }

  @Test
  void aTimelineIsReadFromItsEndToo() {
    String path = "/meetings/" + meeting + "/timeline";
    String _ = report("started", Map.of("meeting_id", meeting));
    String _ = report("joined", Map.of());
    List<Long> oldestFirst =
        testServer
            .get(user, path)
            .expect(200)
            .json()
            .path("items")
            .valueStream()
            .map(item -> item.path("seq").asLong())
            .toList();
    assertThat(oldestFirst).hasSizeGreaterThan(2).isSorted();
    List<Long> newestFirst = new ArrayList<>();
    Optional<String> cursor = Optional.of("");
    while (cursor.isPresent()) {
      String more = cursor.get().isEmpty() ? "" : "&cursor=" + cursor.get();
      JsonNode page =
          testServer.get(user, path + "?order=newest&limit=2" + more).expect(200).json();
      page.path("items").forEach(item -> newestFirst.add(item.path("seq").asLong()));
      cursor = page.path("next_cursor").asStringOpt();
    }
    assertThat(newestFirst).isEqualTo(oldestFirst.reversed());
  }

  private String report(String name, Map<String, Object> body) {
    return testServer.callback(bot, name, body).expect(200).json().path("status").asString();
  }

  private List<String> sessions() {
    return testServer.database.read(
        tx ->
            tx.sql("select session_uid from meeting_sessions where meeting_id = ?")
                .with(meeting)
                .list(resultRow -> resultRow.text("session_uid")));
  }

  private List<String> timeline() {
    JsonNode items = testServer.get(user, "/meetings/" + meeting + "/timeline").expect(200).json();
    return items
        .path("items")
        .valueStream()
        .filter(item -> item.path("type").asString().equals("meeting.status_changed"))
        .map(item -> item.path("data"))
        .map(data -> data.path("from").asString("null") + ">" + data.path("to").asString())
        .toList();
  }
}
