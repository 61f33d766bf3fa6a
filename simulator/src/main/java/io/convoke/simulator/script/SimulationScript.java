package io.convoke.simulator.script;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** Meetings and their participants. */
public record SimulationScript(String name, List<ScriptedMeeting> meetings) {

  public static final SimulationScript EMPTY = new SimulationScript("none", List.of());

  /** When the last meeting is over. */
  public Duration length() {
    return meetings.stream()
        .map(meeting -> meeting.at().plus(meeting.lasts()))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }
}
