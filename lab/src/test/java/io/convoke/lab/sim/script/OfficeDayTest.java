package io.convoke.lab.sim.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The endless office day. */
final class OfficeDayTest {

  @Test
  void theSameSeedHoldsTheSameMeetings() {
    assertThat(first(60, 4)).isEqualTo(first(60, 4));
    assertThat(first(60, 4)).isNotEqualTo(first(60, 5));
  }

  @Test
  void meetingsComeInOrderEachInItsOwnRoom() {
    List<Gathering> meetings = first(300, 1);
    assertThat(meetings).extracting(Gathering::at).isSorted();
    assertThat(meetings).extracting(Gathering::room).doesNotHaveDuplicates();
    assertThat(meetings.getFirst().at()).isLessThan(Duration.ofMinutes(1));
  }

  @Test
  void nobodySitsInTwoMeetingsAtOnce() {
    Map<String, List<Gathering>> diaries = new HashMap<>();
    for (Gathering meeting : first(300, 2)) {
      for (Gathering.Person person : meeting.people()) {
        person
            .visitor()
            .userId()
            .ifPresent(id -> diaries.computeIfAbsent(id, i -> new ArrayList<>()).add(meeting));
      }
    }
    diaries.forEach(
        (who, meetings) -> {
          for (int i = 1; i < meetings.size(); i++) {
            Gathering before = meetings.get(i - 1);
            assertThat(meetings.get(i).at())
                .as(who + " in " + meetings.get(i).room() + " after " + before.room())
                .isGreaterThanOrEqualTo(before.at().plus(before.lasts()));
          }
        });
  }

  @Test
  void everyVisitAndLineLiesWithinItsMeeting() {
    for (Gathering meeting : first(200, 3)) {
      assertThat(meeting.people()).hasSizeGreaterThanOrEqualTo(2);
      for (Gathering.Person person : meeting.people()) {
        for (Gathering.Visit visit : person.visits()) {
          assertThat(visit.join()).isLessThan(visit.leave());
          assertThat(visit.leave()).isLessThanOrEqualTo(meeting.lasts());
        }
      }
      assertThat(meeting.lines()).allSatisfy(l -> assertThat(l.at()).isLessThan(meeting.lasts()));
    }
  }

  private static List<Gathering> first(int count, long seed) {
    OfficeDay day = new OfficeDay(seed);
    return Stream.generate(day::next).limit(count).toList();
  }
}
