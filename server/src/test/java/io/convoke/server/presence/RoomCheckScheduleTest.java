package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.presence.MeetingQueries.TrackedMeeting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which empty rooms are checked, and how often. */
class RoomCheckScheduleTest {
  private static final Instant T = Instant.parse("2026-03-02T09:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static TrackedMeeting room(long id, Optional<Instant> left, Optional<Instant> checked) {
    return new TrackedMeeting(
        new PresenceMeeting(id, 1, "daily", "room-" + id, "active", true),
        T,
        left.isPresent(),
        left,
        checked,
        Optional.empty());
  }

  /** Runs the schedule each second; the platform never reports an end. */
  private static List<Instant> checks(List<TrackedMeeting> rooms, Duration time) {
    List<TrackedMeeting> state = new ArrayList<>(rooms);
    List<Instant> checks = new ArrayList<>();
    for (long second = 0; second < time.toSeconds(); second++) {
      Instant now = T.plusSeconds(second);
      for (TrackedMeeting due : RoomCheckSchedule.due(state, SECOND, now)) {
        checks.add(now);
        state.set(
            (int) due.meeting().id(), room(due.meeting().id(), due.lastLeft(), Optional.of(now)));
      }
    }
    return checks;
  }

  private static long most(List<Instant> checks, Duration window) {
    return checks.stream()
        .mapToLong(
            from ->
                checks.stream()
                    .filter(at -> !at.isBefore(from) && at.isBefore(from.plus(window)))
                    .count())
        .max()
        .orElse(0);
  }

  @Test
  void roomsThatNobodyUsesCostFourChecksAMinuteHoweverManyTheyAre() {
    List<TrackedMeeting> rooms = new ArrayList<>();
    for (int id = 0; id < 500; id++) {
      rooms.add(room(id, Optional.empty(), Optional.empty()));
    }
    List<Instant> checks = checks(rooms, Duration.ofMinutes(10));

    assertThat(most(checks, Duration.ofMinutes(1))).isEqualTo(RoomCheckSchedule.IDLE_A_MINUTE);
    assertThat(checks).hasSizeBetween(36, 40);
  }

  @Test
  void aRoomIsCheckedWhenTheGraceIsOverAndLessAndLessOften() {
    List<Instant> checks =
        checks(List.of(room(0, Optional.of(T), Optional.empty())), Duration.ofHours(2));

    assertThat(checks.getFirst()).isEqualTo(T.plus(RoomCheckSchedule.GRACE));
    assertThat(checks).contains(T.plus(RoomCheckSchedule.SHORT_VISIT));
    assertThat(checks).hasSizeBetween(8, 16);
    assertThat(Duration.between(checks.get(0), checks.get(1)))
        .isBetween(Duration.ofSeconds(15), Duration.ofSeconds(20));
  }

  @Test
  void everyRoomThatWasLeftIsCheckedAtOnceHoweverManyTheyAre() {
    List<TrackedMeeting> rooms = new ArrayList<>();
    for (int id = 0; id < 300; id++) {
      rooms.add(room(id, Optional.of(T), Optional.of(T.minusSeconds(id))));
    }
    assertThat(RoomCheckSchedule.due(rooms, SECOND, T.plus(RoomCheckSchedule.GRACE))).hasSize(300);
    assertThat(RoomCheckSchedule.due(rooms, SECOND, T.plus(RoomCheckSchedule.GRACE).minusMillis(1)))
        .isEmpty();
  }

  @Test
  void roomsInRecentUseGetTenRepeatedChecksAMinuteHoweverManyTheyAre() {
    Instant now = T.plusSeconds(3600);
    List<TrackedMeeting> rooms = new ArrayList<>();
    for (int id = 0; id < 20; id++) {
      rooms.add(room(id, Optional.of(T), Optional.of(T.plusSeconds(1500))));
    }
    rooms.add(room(20, Optional.of(T), Optional.of(now.minusSeconds(60))));
    assertThat(RoomCheckSchedule.due(rooms, SECOND, now))
        .hasSize(RoomCheckSchedule.REPEATED_A_MINUTE);

    for (int id = 21; id < 24; id++) {
      rooms.add(room(id, Optional.of(T), Optional.of(now.minusSeconds(59))));
    }
    assertThat(RoomCheckSchedule.due(rooms, SECOND, now))
        .hasSize(RoomCheckSchedule.REPEATED_A_MINUTE - 3);
  }

  @Test
  void roomsInRecentUseDoNotWaitForIdleOnes() {
    List<TrackedMeeting> rooms = new ArrayList<>();
    for (int id = 0; id < 500; id++) {
      rooms.add(room(id, Optional.empty(), Optional.empty()));
    }
    Instant now = T.plusSeconds(120);
    TrackedMeeting used = room(500, Optional.of(T), Optional.of(T.plusSeconds(50)));
    rooms.add(used);

    assertThat(RoomCheckSchedule.due(rooms, SECOND, now))
        .hasSize(1 + RoomCheckSchedule.IDLE_A_MINUTE)
        .startsWith(used);
  }
}
