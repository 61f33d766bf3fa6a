package io.convoke.agent;

import java.time.Duration;
import java.util.Map;

/**
 * The rules by which a bot leaves by itself.
 *
 * @param waitingRoom how long it waits for admission
 * @param noOneJoined how long it stays in a meeting without other participants
 * @param everyoneLeft how long it stays after the last other person went
 */
public record AutomaticLeave(Duration waitingRoom, Duration noOneJoined, Duration everyoneLeft) {
  /** Five minutes, two minutes, one minute. */
  public static final AutomaticLeave DEFAULT =
      new AutomaticLeave(Duration.ofMinutes(5), Duration.ofMinutes(2), Duration.ofMinutes(1));

  /** In seconds, under our names. */
  Map<String, Object> seconds() {
    return Map.of(
        "waiting_room_timeout", number(waitingRoom),
        "no_one_joined_timeout", number(noOneJoined),
        "everyone_left_timeout", number(everyoneLeft));
  }

  /** In milliseconds, under the names that Vexa's image reads. */
  public Map<String, Object> vexa() {
    return Map.of(
        "waitingRoomTimeout", waitingRoom.toMillis(),
        "noOneJoinedTimeout", noOneJoined.toMillis(),
        "everyoneLeftTimeout", everyoneLeft.toMillis());
  }

  /** Whole seconds as a whole number, anything finer as a fraction. */
  static Number number(Duration duration) {
    if (duration.toMillis() % 1000 == 0) {
      return duration.toSeconds();
    }
    return duration.toMillis() / 1000.0;
  }
}
