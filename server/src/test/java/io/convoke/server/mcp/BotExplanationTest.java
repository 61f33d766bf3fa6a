package io.convoke.server.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.json.Json;
import io.convoke.server.http.OperationCall;
import io.convoke.server.http.Problem;
import io.convoke.server.mcp.BotExplanation.TimelinePart;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class BotExplanationTest {
  private static final Instant NOW = Instant.parse("2026-03-02T09:10:00Z");
  private static final JsonNode MEETING = Json.read("{\"id\":42,\"status\":\"x\",\"data\":{}}");

  private static JsonNode move(long seq, String at, String from, String to, String event) {
    return Json.read(
        """
        {"seq":%d,"type":"meeting.status_changed","at":"%s","subject":"meeting:42","data":
          {"from":"%s","to":"%s","event":"%s","reason":"r","actor":"bot","attempt":1}}
        """
            .formatted(seq, at, from, to, event));
  }

  /** An event of the journal, whose data may be written with single quotes. */
  private static JsonNode event(long seq, String type, String at, String data) {
    return Json.read(
        "{'seq':%d,'type':'%s','at':'%s','data':%s}"
            .formatted(seq, type, at, data)
            .replace('\'', '"'));
  }

  private static BotExplanation of(String report, JsonNode meeting, List<JsonNode> events) {
    return of(report, meeting, new TimelinePart(events, true));
  }

  private static BotExplanation of(String report, JsonNode meeting, TimelinePart timeline) {
    return BotExplanation.of(Json.read(report.replace('\'', '"')), meeting, timeline, NOW);
  }

  @Test
  void aBotInTheLobbyWaitsForTheHost() {
    JsonNode waiting =
        Json.read(
            "{\"seq\":9,\"type\":\"bot.awaiting_admission\",\"at\":\"2026-03-02T09:02:00Z\",\"data\":{}}");
    BotExplanation explained =
        of(
            "{'status':'starting','substatus':'awaiting_admission','desired':'run',"
                + "'state_entered_at':'2026-03-02T09:01:00Z','lobby_since':'2026-03-02T09:02:00Z',"
                + "'deadline':'2026-03-02T09:11:00Z','last_heartbeat':'2026-03-02T09:09:55Z'}",
            MEETING,
            List.of(
                move(7, "2026-03-02T09:00:00Z", "", "reserved", "requested"),
                move(8, "2026-03-02T09:01:00Z", "reserved", "starting", "started"),
                waiting));
    assertThat(explained.waitsFor()).isEqualTo("host");
    assertThat(explained.conclusion())
        .contains("admit", "2026-03-02T09:02:00Z", "it is ended in 60 s");
    assertThat(explained.facts())
        .extracting(BotExplanation.ExplainedFact::events)
        .containsExactly(List.of(7L), List.of(8L), List.of(9L), List.of());
    assertThat(explained.facts().get(1).says()).contains("60 s after the move before");
    assertThat(explained.facts().get(3).says()).contains("5.0 s ago");
  }

  @Test
  void aBotWithoutAPlaceWaitsForTheQueue() {
    BotExplanation explained =
        of(
            "{'status':'reserved','substatus':'queued','state_entered_at':'2026-03-02T09:00:00Z',"
                + "'start_at':'2026-03-02T10:00:00Z','queue':{'position':3,"
                + "'since':'2026-03-02T09:00:00Z','until':'2026-03-02T10:00:00Z'}}",
            MEETING,
            List.of());
    assertThat(explained.waitsFor()).isEqualTo("queue");
    assertThat(explained.conclusion()).contains("number 3");
  }

  @Test
  void aReservedBotIsScheduledOrLateOrLaunched() {
    String scheduled =
        "{'status':'reserved','state_entered_at':'2026-03-02T09:00:00Z',"
            + "'start_at':'2026-03-02T10:00:00Z'}";
    assertThat(of(scheduled, MEETING, List.of()).conclusion()).contains("starts at", "in 50 min");
    String due = scheduled.replace("10:00", "09:05");
    BotExplanation late = of(due, MEETING, List.of());
    assertThat(late.waitsFor()).isEqualTo("launcher");
    assertThat(late.conclusion()).contains("not launched yet", "out of reach");
    BotExplanation launched =
        of(due, Json.read("{\"id\":42,\"bot_container_id\":\"c1\"}"), List.of());
    assertThat(launched.waitsFor()).isEqualTo("bot");
    assertThat(launched.conclusion()).contains("has not reported yet");
    BotExplanation stopped = of(due.replace("}", ",'desired':'stop'}"), MEETING, List.of());
    assertThat(stopped.conclusion()).contains("A stop was asked for");
    assertThat(stopped.waitsFor()).isEqualTo("launcher");
    BotExplanation starting = of("{'status':'starting','desired':'stop'}", MEETING, List.of());
    assertThat(starting.conclusion()).contains("A stop was asked for");
    assertThat(starting.waitsFor()).isEqualTo("bot");
  }

  @Test
  void aLaunchIsLateAfter20Seconds() {
    String reserved = "{'status':'reserved','state_entered_at':'2026-03-02T09:09:40Z'}";
    assertThat(of(reserved, MEETING, List.of()).conclusion())
        .isEqualTo("The bot is not launched yet, reserved for 20 s.");
    assertThat(of(reserved.replace("09:09:40", "09:09:39"), MEETING, List.of()).conclusion())
        .contains("reserved for 21 s", "out of reach");
  }

  @Test
  void aBotIsSilentAfter45Seconds() {
    String active = "{'status':'active','last_heartbeat':'2026-03-02T09:09:15Z'}";
    assertThat(of(active, MEETING, List.of()).conclusion())
        .isEqualTo("The bot is in the meeting and reports.");
    assertThat(of(active.replace("09:09:15", "09:09:14"), MEETING, List.of()).conclusion())
        .isEqualTo("The bot is in the meeting and has sent no heartbeat for 46 s.");
  }

  @Test
  void aMoveIsTimedFromTheMoveBefore() {
    List<JsonNode> events =
        List.of(
            move(7, "2026-03-02T09:00:00Z", "", "reserved", "requested"),
            event(8, "bot.kill_wanted", "2026-03-02T09:02:00Z", "{}"),
            move(9, "2026-03-02T09:03:00Z", "reserved", "starting", "started"));
    assertThat(of("{'status':'starting'}", MEETING, events).facts().getLast().says())
        .contains("3 min after the move before");
  }

  @Test
  void onlySomeEventsExplainABot() {
    assertThat(BotExplanation.tells(event(7, "bot.rescheduled", NOW.toString(), "{}"))).isTrue();
    assertThat(BotExplanation.tells(event(7, "chat.message", NOW.toString(), "{}"))).isFalse();
  }

  @Test
  void ofABotThatHasEndedNothingIsKnownOfNow() {
    String failed =
        "{'status':'failed','last_heartbeat':'2026-03-02T09:05:00Z',"
            + "'pending_commands':[{'id':'1','action':'leave'}]}";
    assertThat(of(failed, MEETING, List.of()).facts()).isEmpty();
    assertThat(of(failed.replace("failed", "stopping"), MEETING, List.of()).facts()).hasSize(2);
  }

  @Test
  void aLogIsToldByTheBeginningOfItsLastLine() {
    assertThat(told("{'exit_code':137,'lines':['one','out of memory']}"))
        .isEqualTo(
            "The bot's process ended with exit code 137; the last line of its log: out of memory");
    assertThat(told("{'lines':[]}"))
        .isEqualTo("The bot's process ended; the last line of its log: ");
    String line = "😀".repeat(200);
    assertThat(told("{'lines':['" + line + "']}")).endsWith(": " + line);
    assertThat(told("{'lines':['" + line + "!']}")).endsWith(": " + line);
  }

  private static String told(String data) {
    List<JsonNode> log = List.of(event(12, "bot.log", "2026-03-02T09:05:00Z", data));
    return of("{'status':'failed'}", MEETING, log).facts().getLast().says();
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0.0 s",
    "300, 0.3 s",
    "9900, 9.9 s",
    "10000, 10 s",
    "119999, 119 s",
    "120000, 2 min",
    "7199999, 119 min",
    "7200000, 2 h 0 min"
  })
  void aDurationIsToldAsPeopleDo(long millis, String length) {
    assertThat(BotExplanation.length(Duration.ofMillis(millis))).isEqualTo(length);
  }

  @Test
  void anActiveBotIsSilentOrWell() {
    String active =
        "{'status':'active','desired':'run','state_entered_at':'2026-03-02T09:00:00Z',"
            + "'deadline':'2026-03-02T09:09:30Z','last_heartbeat':'2026-03-02T09:07:30Z'}";
    BotExplanation silent = of(active, MEETING, List.of());
    assertThat(silent.conclusion()).contains("no heartbeat for 2 min", "overdue since");
    BotExplanation well = of(active.replace("09:07:30", "09:09:58"), MEETING, List.of());
    assertThat(well.waitsFor()).isEqualTo("nothing");
    assertThat(well.conclusion()).contains("reports");
    BotExplanation deaf =
        of(
            active
                .replace("09:07:30", "09:09:58")
                .replace("}", ",'progress':{'stalled_since':'2026-03-02T09:04:00Z'}}"),
            MEETING,
            List.of());
    assertThat(deaf.conclusion()).contains("no audio since 2026-03-02T09:04:00Z");
    BotExplanation told =
        of(
            active
                .replace("09:07:30", "09:09:58")
                .replace("'run'", "'stop'")
                .replace("}", ",'pending_commands':[{'id':'1','action':'leave'}]}"),
            MEETING,
            List.of());
    assertThat(told.conclusion()).contains("asked to leave");
    assertThat(told.facts().getLast().says()).contains("not acknowledged: leave");
  }

  @Test
  void anEndNamesReasonAndWhoIsResponsible() {
    JsonNode meeting =
        Json.read(
            "{\"id\":42,\"status\":\"failed\",\"data\":{\"outcome\":{\"reason\":\"crashed\","
                + "\"attribution\":\"us\",\"exit_code\":137}}}");
    JsonNode log =
        Json.read(
            "{\"seq\":12,\"type\":\"bot.log\",\"at\":\"2026-03-02T09:05:00Z\",\"data\":"
                + "{\"exit_code\":137,\"lines\":[\"one\",\"out of memory\"]}}");
    BotExplanation ended =
        of(
            "{'status':'failed','state_entered_at':'2026-03-02T09:05:00Z'}",
            meeting,
            List.of(
                move(11, "2026-03-02T09:05:00Z", "starting", "failed", "exited with an error"),
                log));
    assertThat(ended.conclusion()).contains("exit code 137", "crashed", "Convoke", "never was");
    assertThat(ended.facts().getLast().says()).contains("out of memory");
    assertThat(ended.facts().getLast().events()).containsExactly(12L);
  }

  @Test
  void anEndDoesNotDenyWhatWasNotRead() {
    String ended = "{'status':'completed','state_entered_at':'2026-03-02T09:05:00Z'}";
    List<JsonNode> last = List.of(move(9, "2026-03-02T09:05:00Z", "stopping", "completed", "left"));
    assertThat(of(ended, MEETING, new TimelinePart(last, false)).conclusion())
        .doesNotContain("in the meeting");
    List<JsonNode> both =
        List.of(move(8, "2026-03-02T09:01:00Z", "starting", "active", "joined"), last.getFirst());
    assertThat(of(ended, MEETING, new TimelinePart(both, false)).conclusion())
        .endsWith("It was in the meeting.");
  }

  @Test
  void anEndBeforeTheAdoptionOfADatabaseIsUnknown() {
    assertThat(
            of(
                    "{'status':'completed','state_entered_at':'2026-03-01T09:05:00Z'}",
                    MEETING,
                    List.of(move(3, "2026-03-02T09:00:00Z", "", "completed", "adopted")))
                .conclusion())
        .isEqualTo("The bot has ended (x): unknown. Responsible: unknown.");
  }

  @Test
  void theRateOfTheCallerEndsTheReadingAndNotTheExplanation() {
    Problem slower = Problem.tooMany("rate_limited", "Slow down.", Duration.ofSeconds(1));
    JsonNode newest = move(9, "2026-03-02T09:05:00Z", "stopping", "completed", "left");
    JsonNode page = Json.read("{\"items\":[%s],\"next_cursor\":\"c\"}".formatted(newest));
    OperationCall timeline = OperationCall.of("meetingTimeline");
    assertThat(ReadingTools.told(timeline, onePage(page, slower)))
        .isEqualTo(new TimelinePart(List.of(newest), false));
    Problem gone = Problem.notFound("meeting");
    assertThatThrownBy(() -> ReadingTools.told(timeline, onePage(page, gone))).isSameAs(gone);
    assertThatThrownBy(
            () ->
                ReadingTools.told(
                    timeline,
                    _ -> {
                      throw slower;
                    }))
        .isSameAs(slower);
  }

  private static Function<OperationCall, JsonNode> onePage(JsonNode page, Problem then) {
    return call -> {
      if (call.query().containsKey("cursor")) {
        throw then;
      }
      return page;
    };
  }
}
