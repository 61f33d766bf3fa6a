package io.convoke.server.platform.daily;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.PresenceEvent.WaitingChange;
import io.convoke.server.platform.daily.ParsedWebhook.IgnoredWebhook;
import io.convoke.server.platform.daily.ParsedWebhook.PresenceWebhook;
import io.convoke.server.platform.daily.ParsedWebhook.RecordingWebhookReceived;
import io.convoke.server.platform.daily.ParsedWebhook.UnreadableWebhook;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DailyWebhookParserTest {
  private static final Instant NOW = Instant.parse("2026-03-02T09:00:00Z");

  private static ParsedWebhook parse(String body) {
    return DailyWebhookParser.parse(body.getBytes(StandardCharsets.UTF_8), NOW);
  }

  @Test
  void aJoinIsReadWithAFloatTimeANullNameAndTheRoomUnderItsRealKey() {
    ParsedWebhook parsed =
        parse(
            """
            {"version":"1.0.0","type":"participant.joined","id":"e1","event_ts":1772442001.5,
             "payload":{"session_id":"s1","room":"standup","user_id":null,"user_name":null,
                        "joined_at":1772442000.25,"permissions":{"hasPresence":false}}}
            """);

    Instant joined = Instant.ofEpochMilli(1772442000250L);
    assertThat(parsed)
        .isEqualTo(
            new PresenceWebhook(
                new PresenceEvent(
                    "e1",
                    PresenceEvent.PresenceEventKind.JOINED,
                    "standup",
                    "s1",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(joined),
                    joined,
                    true,
                    false)));
  }

  private static PresenceEvent event(String body) {
    return ((PresenceWebhook) parse(body)).event();
  }

  @Test
  void aJoinWithoutATimeIsAtTheTimeOfItsEventAndALeaveDoesNotTellTheJoin() {
    Instant sent = Instant.ofEpochSecond(1772442060);
    String rest =
        "\"event_ts\":1772442060,\"payload\":{\"session_id\":\"s1\",\"room\":\"standup\"}}";
    PresenceEvent join = event("{\"type\":\"participant.joined\"," + rest);
    assertThat(join.joinedAt()).contains(sent);
    assertThat(join.at()).isEqualTo(sent);
    PresenceEvent leave = event("{\"type\":\"participant.left\"," + rest);
    assertThat(leave.joinedAt()).isEmpty();
    assertThat(leave.at()).isEqualTo(sent);
  }

  @Test
  void aRoomMayBeCalledRoomName() {
    String body = "{\"type\":\"meeting.started\",\"payload\":{\"room_name\":\"a\"}}";
    assertThat(event(body).room()).isEqualTo("a");
  }

  @Test
  void anEventWithoutAnIdHasOneThatIsTheSameInItsRetries() {
    String body = "{\"type\":\"meeting.started\",\"payload\":{\"room\":\"a\"}}";
    assertThat(event(body).eventId())
        .isNotEmpty()
        .isEqualTo(event(body).eventId())
        .isNotEqualTo(event(body.replace("\"a\"", "\"b\"")).eventId());
  }

  private static Instant leftAt(String eventTs, String payload) {
    return event(
            """
            {"type":"participant.left","id":"e2","event_ts":%s,
             "payload":{"session_id":"s1","room":"standup"%s}}
            """
                .formatted(eventTs, payload))
        .at();
  }

  private static PresenceEvent waiting(String type, String payload) {
    return event(
        """
        {"type":"waiting-participant.%s","id":"e4","event_ts":1772442090,
         "payload":{"session_id":"s1","room":"standup","user_name":"Ann"%s}}
        """
            .formatted(type, payload));
  }

  private static PresenceEvent waiting(WaitingChange waitingChange, long second) {
    return new PresenceEvent(
        "e4",
        PresenceEvent.PresenceEventKind.STARTED,
        "standup",
        "s1",
        Optional.empty(),
        Optional.of("Ann"),
        Optional.empty(),
        Instant.ofEpochSecond(second),
        false,
        false,
        Optional.of(waitingChange));
  }

  @Test
  void whatAParticipantDoesInTheWaitingRoomIsRead() {
    String told = ",\"joined_at\":1772442000,\"duration\":60";
    assertThat(waiting("joined", told)).isEqualTo(waiting(WaitingChange.WAITING, 1772442000));
    assertThat(waiting("joined", "")).isEqualTo(waiting(WaitingChange.WAITING, 1772442090));
    assertThat(waiting("left", told)).isEqualTo(waiting(WaitingChange.WAITING_LEFT, 1772442060));
    assertThat(waiting("left", "")).isEqualTo(waiting(WaitingChange.WAITING_LEFT, 1772442090));
  }

  @Test
  void aLeaveEndsAtJoinPlusDurationWheneverItsEventWasMade() {
    String told = ",\"joined_at\":1772442000.25,\"duration\":60.5";
    Instant end = Instant.ofEpochMilli(1772442060750L);

    assertThat(leftAt("1772442061.9", told)).isEqualTo(end);
    assertThat(leftAt("1772442060.1", told)).isEqualTo(end);
    assertThat(leftAt("1772442900", told)).isEqualTo(end);
    assertThat(leftAt("1772442060", ",\"joined_at\":1772442000,\"duration\":0"))
        .isEqualTo(Instant.ofEpochSecond(1772442000));
  }

  @Test
  void aTimeThatCannotBeMeantIsMissing() {
    for (String time : List.of("4000000000000", "0", "-1")) {
      assertThat(leftAt(time, "")).as(time).isEqualTo(NOW);
    }
    for (String time :
        List.of(
            "+1000000000-12-31T23:59:59Z",
            "2096-10-02T07:06:40Z",
            "1970-01-01T00:00:00Z",
            "-1000000000-01-01T00:00:00Z")) {
      assertThat(leftAt("\"" + time + "\"", "")).as(time).isEqualTo(NOW);
    }
    assertThat(leftAt("\"2096-10-02T07:06:39Z\"", ""))
        .isEqualTo(Instant.parse("2096-10-02T07:06:39Z"));
  }

  @Test
  void aLeaveThatDoesNotTellItsLengthEndsAtTheTimeOfItsEvent() {
    Instant sent = Instant.ofEpochMilli(1772442060700L);
    for (String payload :
        List.of(
            ",\"joined_at\":1772442000",
            ",\"duration\":60",
            ",\"joined_at\":1772442000,\"duration\":-3",
            ",\"joined_at\":1772442000,\"duration\":null",
            ",\"joined_at\":1772442000,\"duration\":\"long\"",
            ",\"joined_at\":1772442000,\"duration\":60000",
            ",\"joined_at\":1772442000,\"duration\":1e300",
            ",\"joined_at\":\"+1000000000-12-31T23:59:59Z\",\"duration\":60",
            ",\"joined_at\":1772442000,\"duration\":1" + "0".repeat(400),
            ",\"joined_at\":1" + "0".repeat(400) + ",\"duration\":60")) {
      assertThat(leftAt("1772442060.7", payload)).as(payload).isEqualTo(sent);
    }
  }

  @Test
  void theEndOfAMeetingIsRead() {
    assertThat(
            parse(
                """
                {"type":"meeting.ended","id":"e3","payload":{"room":"standup","end_ts":1772442060}}
                """))
        .isEqualTo(
            new PresenceWebhook(
                PresenceEvent.ofMeeting(
                    "e3",
                    PresenceEvent.PresenceEventKind.ENDED,
                    "standup",
                    Instant.ofEpochSecond(1772442060),
                    false)));
  }

  @Test
  void theTestPingAndWhatWeDoNotNeedAreKnown() {
    assertThat(parse("{\"test\":\"test\"}")).isEqualTo(new IgnoredWebhook("ping"));
    assertThat(parse("{\"type\":\"recording.started\",\"id\":\"r\"}"))
        .isEqualTo(new RecordingWebhookReceived());
    assertThat(parse("{\"type\":\"recording.paused\",\"id\":\"r\"}"))
        .isEqualTo(new IgnoredWebhook("unneeded"));
  }

  @Test
  void whatIsNotUnderstoodIsAValue() {
    List<String> bodies =
        List.of(
            "",
            "nonsense",
            "[]",
            "7",
            "{}",
            "{\"type\":\"participant.danced\"}",
            "{\"type\":\"participant.joined\"}",
            "{\"type\":\"participant.joined\",\"payload\":{\"room\":7,\"session_id\":{}}}",
            "{\"type\":\"participant.left\",\"payload\":null}",
            "{\"type\":\"waiting-participant.joined\",\"payload\":{\"room\":\"a\"}}",
            "{\"type\":\"waiting-participant.left\",\"payload\":{\"session_id\":\"s1\"}}",
            "{\"type\":\"meeting.ended\",\"payload\":[]}");
    assertThat(bodies)
        .allSatisfy(body -> assertThat(parse(body)).isInstanceOf(UnreadableWebhook.class));
  }

  @Test
  void noBytesMakeAnException() {
    String good =
        """
        {"type":"participant.left","id":"e2","event_ts":1e999,"payload":{"session_id":"s\\u0000",
         "room":"standup","joined_at":-1e30,"duration":1e300,"user_name":"\\u0000","x":[[[]]]}}
        """;
    Random random = new Random(11);
    byte[] bytes = good.getBytes(StandardCharsets.UTF_8);
    for (int run = 0; run < 5000; run++) {
      byte[] damaged = bytes.clone();
      for (int hit = 0; hit < run % 5; hit++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      assertThat(DailyWebhookParser.parse(damaged, NOW)).isNotNull();
    }
  }
}
