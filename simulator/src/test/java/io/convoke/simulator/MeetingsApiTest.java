package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Meeting sessions: their start, their end, and the listed attendees. */
final class MeetingsApiTest {

  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");

  private final ManualClock time = new ManualClock(NINE);
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults().withTime(time));
  private final SimulatorTestClient simulatorTestClient = new SimulatorTestClient(sim);

  @BeforeEach
  void rooms() {
    sim.world().create(RoomRequest.named("standup"));
    sim.world().create(RoomRequest.named("review"));
  }

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
  }

  @Test
  void aMeetingEndsTwentySecondsAfterTheLastLeave() {
    RoomSession ada = join("standup", "Ada");
    time.advance(Duration.ofMinutes(5));
    leave(ada);
    time.advance(Duration.ofSeconds(19));
    JsonNode meeting = simulatorTestClient.get("/v1/meetings/" + ada.meetingId()).body();
    assertThat(meeting.path("ongoing").booleanValue()).isTrue();

    time.advance(Duration.ofSeconds(1));
    meeting = simulatorTestClient.get("/v1/meetings/" + ada.meetingId()).body();
    assertThat(RoomsApiTest.keys(meeting))
        .containsExactly(
            "id", "room", "start_time", "duration", "ongoing", "max_participants", "participants");
    assertThat(meeting.path("ongoing").booleanValue()).isFalse();
    assertThat(meeting.path("start_time").longValue()).isEqualTo(NINE.getEpochSecond());
    assertThat(meeting.path("duration").intValue()).isEqualTo(300);
    JsonNode participant = meeting.path("participants").path(0);
    assertThat(RoomsApiTest.keys(participant))
        .containsExactly("user_id", "participant_id", "user_name", "join_time", "duration");
    assertThat(participant.path("participant_id").stringValue()).isEqualTo(ada.sessionId());
  }

  @Test
  void aRejoinWithinTheAllowanceContinuesTheMeeting() {
    RoomSession first = join("standup", "Ada");
    leave(first);
    time.advance(Duration.ofSeconds(19));
    RoomSession second = join("standup", "Ada");
    time.advance(Duration.ofMinutes(1));

    assertThat(second.meetingId()).isEqualTo(first.meetingId());
    assertThat(second.sessionId()).isNotEqualTo(first.sessionId());
    assertThat(sim.truth().meetings()).hasSize(1);

    leave(second);
    time.advance(Duration.ofSeconds(20));
    assertThat(join("standup", "Ada").meetingId()).isNotEqualTo(first.meetingId());
  }

  @Test
  void theAllowanceBeginsAnewWithEachLeave() {
    RoomSession first = join("standup", "Ada");
    leave(first);
    time.advance(Duration.ofSeconds(10));
    RoomSession second = join("standup", "Ada");
    time.advance(Duration.ofSeconds(5));
    leave(second);
    time.advance(Duration.ofSeconds(19));

    assertThat(join("standup", "Ada").meetingId()).isEqualTo(first.meetingId());
  }

  @Test
  void aSessionBeginsAfterThirtySecondsAloneOrWithASecondParticipant() {
    RoomSession alone = join("standup", "Ada");
    time.advance(Duration.ofSeconds(29));
    assertThat(meetings("?room=standup")).isEmpty();
    assertThat(simulatorTestClient.get("/v1/meetings/" + alone.meetingId()).status())
        .isEqualTo(404);
    time.advance(Duration.ofSeconds(1));
    assertThat(meetings("?room=standup")).containsExactly(alone.meetingId());

    RoomSession first = join("review", "Ben");
    assertThat(meetings("?room=review")).isEmpty();
    RoomSession second = join("review", "Cleo");
    assertThat(meetings("?room=review")).containsExactly(first.meetingId());
    leave(first);
    leave(second);
    time.advance(Duration.ofMinutes(1));
    assertThat(meetings("?room=review")).containsExactly(first.meetingId());
  }

  @Test
  void aVisitOfLessThanThirtySecondsIsNoSession() {
    RoomSession alone = join("standup", "Ada");
    time.advance(Duration.ofSeconds(29));
    leave(alone);
    time.advance(Duration.ofMinutes(5));

    assertThat(meetings("")).isEmpty();
    assertThat(sim.truth().sessions()).hasSize(1);
  }

  @Test
  void whoIsLeftAloneForTenMinutesIsInANewSession() {
    RoomSession host = join("standup", "Host");
    RoomSession guest = join("standup", "Guest");
    time.advance(Duration.ofMinutes(5));
    leave(guest);
    time.advance(Duration.ofMinutes(9));
    assertThat(meetings("?ongoing=true")).containsExactly(host.meetingId());
    time.advance(Duration.ofMinutes(1));

    assertThat(meetings("?ongoing=false")).containsExactly(host.meetingId());
    assertThat(meetings("?ongoing=true")).hasSize(1).doesNotContain(host.meetingId());
    assertThat(sim.world().presence("standup", time.instant()).orElseThrow())
        .extracting(RoomSession::sessionId)
        .containsExactly(host.sessionId());
    assertThat(sim.truth().sessions()).hasSize(2);
    assertThat(sim.world().leave("standup", host.sessionId(), LeaveReason.LEFT)).isTrue();
    time.advance(Duration.ofSeconds(20));
    assertThat(meetings("?ongoing=true")).isEmpty();
  }

  @Test
  void presenceNamesTheSessionAndTheNextOneHasAnotherId() {
    RoomSession first = join("standup", "Host");
    RoomSession second = join("standup", "Guest");
    assertThat(sessionsByPresence()).containsExactly(first.meetingId(), first.meetingId());
    leave(first);
    leave(second);
    time.advance(Duration.ofSeconds(20));
    RoomSession next = join("standup", "Host");
    RoomSession with = join("standup", "Guest");
    assertThat(sessionsByPresence()).containsExactly(next.meetingId(), with.meetingId());
    assertThat(next.meetingId()).isNotEqualTo(first.meetingId());
    assertThat(meetings("?ongoing=false")).containsExactly(first.meetingId());
    assertThat(meetings("?ongoing=true")).containsExactly(next.meetingId());
  }

  private List<String> sessionsByPresence() {
    return simulatorTestClient
        .get("/v1/rooms/standup/presence")
        .body()
        .path("data")
        .valueStream()
        .map(entry -> entry.path("mtgSessionId").stringValue())
        .toList();
  }

  @Test
  void aJoinWithinTheTenMinutesContinuesTheSession() {
    RoomSession host = join("standup", "Host");
    RoomSession guest = join("standup", "Guest");
    time.advance(Duration.ofMinutes(5));
    leave(guest);
    time.advance(Duration.ofMinutes(9));
    leave(join("standup", "Guest"));
    time.advance(Duration.ofMinutes(9));
    assertThat(meetings("")).containsExactly(host.meetingId());
    time.advance(Duration.ofMinutes(1));
    assertThat(meetings("")).hasSize(2);
  }

  @Test
  void timesOfSessionsAreFifteenSecondsCoarse() {
    time.advance(Duration.ofSeconds(14));
    RoomSession late = join("standup", "Late");
    time.advance(Duration.ofMinutes(1));

    JsonNode meeting = simulatorTestClient.get("/v1/meetings/" + late.meetingId()).body();
    assertThat(meeting.path("start_time").longValue()).isEqualTo(NINE.getEpochSecond());
    assertThat(meeting.path("duration").intValue()).isEqualTo(60);
    assertThat(meeting.path("participants").path(0).path("join_time").longValue())
        .isEqualTo(NINE.getEpochSecond());
  }

  @Test
  void visitsUnderTenSecondsAreNotListed() {
    RoomSession host = join("standup", "Host");
    RoomSession brief = join("standup", "Brief");
    time.advance(Duration.ofMillis(9_900));
    leave(brief);
    RoomSession longer = join("standup", "Longer");
    time.advance(Duration.ofSeconds(10));

    assertThat(participants("/v1/meetings/" + host.meetingId() + "/participants"))
        .containsExactly(host.sessionId(), longer.sessionId());
  }

  @Test
  void participantsArePagedByParticipantAndEndWith404() {
    RoomSession one = join("standup", "One");
    RoomSession two = join("standup", "Two");
    RoomSession three = join("standup", "Three");
    time.advance(Duration.ofSeconds(30));
    String path = "/v1/meetings/" + one.meetingId() + "/participants";

    assertThat(participants(path + "?limit=2")).containsExactly(one.sessionId(), two.sessionId());
    assertThat(participants(path + "?limit=2&joined_after=" + two.sessionId()))
        .containsExactly(three.sessionId());
    assertThat(participants(path + "?joined_before=" + three.sessionId()))
        .containsExactly(one.sessionId(), two.sessionId());
    assertThat(simulatorTestClient.get(path + "?joined_after=" + three.sessionId()).error())
        .isEqualTo("not-found");
  }

  @Test
  void meetingsAreFilteredAndNewestFirst() {
    RoomSession early = join("standup", "Ada");
    time.advance(Duration.ofMinutes(1));
    leave(early);
    time.advance(Duration.ofMinutes(9));
    RoomSession late = join("review", "Ben");
    RoomSession again = join("standup", "Ada");
    time.advance(Duration.ofSeconds(30));

    assertThat(meetings(""))
        .containsExactly(again.meetingId(), late.meetingId(), early.meetingId());
    assertThat(meetings("?room=standup")).containsExactly(again.meetingId(), early.meetingId());
    assertThat(meetings("?ongoing=false")).containsExactly(early.meetingId());
    assertThat(meetings("?timeframe_start=" + NINE.plusSeconds(60).getEpochSecond()))
        .containsExactly(again.meetingId(), late.meetingId());
    assertThat(meetings("?timeframe_end=" + NINE.getEpochSecond()))
        .containsExactly(early.meetingId());
    assertThat(meetings("?limit=1&starting_after=" + again.meetingId()))
        .containsExactly(late.meetingId());
    assertThat(
            simulatorTestClient
                .get("/v1/meetings?no_participants=true")
                .body()
                .path("data")
                .path(0)
                .has("participants"))
        .isFalse();
    assertThat(simulatorTestClient.get("/v1/meetings?timeframe_start=today").status())
        .isEqualTo(400);
  }

  private List<String> meetings(String query) {
    return simulatorTestClient
        .get("/v1/meetings" + query)
        .body()
        .path("data")
        .valueStream()
        .map(m -> m.path("id").stringValue())
        .toList();
  }

  private List<String> participants(String path) {
    return simulatorTestClient
        .get(path)
        .body()
        .path("data")
        .valueStream()
        .map(p -> p.path("participant_id").stringValue())
        .toList();
  }

  private RoomSession join(String room, String name) {
    return ((JoinResult.JoinedMeeting) sim.world().join(room, Visitor.named(name))).session();
  }

  private void leave(RoomSession roomSession) {
    sim.world().leave(roomSession.room(), roomSession.sessionId(), LeaveReason.LEFT);
  }
}
