package io.convoke.simulator.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The endless office day. */
final class OfficeDayGeneratorTest {

  @Test
  void theSameSeedGeneratesTheSameMeetings() {
    assertThat(first(60, 4)).isEqualTo(first(60, 4));
    assertThat(first(60, 4)).isNotEqualTo(first(60, 5));
  }

  @Test
  void meetingsComeInOrderEachInItsOwnRoom() {
    List<ScriptedMeeting> meetings = first(300, 1);
    assertThat(meetings).extracting(ScriptedMeeting::at).isSorted();
    assertThat(meetings).extracting(ScriptedMeeting::room).doesNotHaveDuplicates();
    assertThat(meetings.getFirst().at()).isLessThan(Duration.ofMinutes(1));
  }

  @Test
  void noEmployeeIsInTwoMeetingsAtOnce() {
    Map<String, List<ScriptedMeeting>> diaries = new HashMap<>();
    for (ScriptedMeeting meeting : first(300, 2)) {
      for (ScriptedMeeting.ScriptedPerson scriptedPerson : meeting.people()) {
        scriptedPerson
            .visitor()
            .userId()
            .ifPresent(id -> diaries.computeIfAbsent(id, i -> new ArrayList<>()).add(meeting));
      }
    }
    diaries.forEach(
        (who, meetings) -> {
          for (int i = 1; i < meetings.size(); i++) {
            ScriptedMeeting before = meetings.get(i - 1);
            assertThat(meetings.get(i).at())
                .as(who + " in " + meetings.get(i).room() + " after " + before.room())
                .isGreaterThanOrEqualTo(before.at().plus(before.lasts()));
          }
        });
  }

  @Test
  void everyVisitAndLineLiesWithinItsMeeting() {
    for (ScriptedMeeting meeting : first(200, 3)) {
      assertThat(meeting.people()).hasSizeGreaterThanOrEqualTo(2);
      for (ScriptedMeeting.ScriptedPerson scriptedPerson : meeting.people()) {
        for (ScriptedMeeting.ScriptedVisit scriptedVisit : scriptedPerson.visits()) {
          assertThat(scriptedVisit.join()).isLessThan(scriptedVisit.leave());
          assertThat(scriptedVisit.leave()).isLessThanOrEqualTo(meeting.lasts());
        }
      }
      assertThat(meeting.lines()).allSatisfy(l -> assertThat(l.at()).isLessThan(meeting.lasts()));
    }
  }

  private static List<ScriptedMeeting> first(int count, long seed) {
    OfficeDayGenerator day = new OfficeDayGenerator(seed);
    return Stream.generate(day::next).limit(count).toList();
  }
}
