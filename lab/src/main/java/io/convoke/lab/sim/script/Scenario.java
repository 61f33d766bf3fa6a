package io.convoke.lab.sim.script;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** Meetings and their participants. */
public record Scenario(String name, List<Gathering> meetings) {

  public static final Scenario EMPTY = new Scenario("none", List.of());

  /** When the last meeting is over. */
  public Duration length() {
    return meetings.stream()
        .map(meeting -> meeting.at().plus(meeting.lasts()))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }
}
