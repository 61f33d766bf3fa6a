package io.convoke.simulator.script;

import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.time.SimulationClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Acts scripts out on the simulation's clock. A meeting's room exists from the moment the meeting
 * is planned; it is removed some time after a meeting of an endless script.
 */
public final class ScriptRunner {

  /** How many meetings of an endless script are planned ahead. */
  private static final int AHEAD = 8;

  /** How long the room of an endless script's meeting stays after it. */
  private static final Duration LINGER = Duration.ofHours(2);

  private final SimulationState simulationState;
  private final SimulationClock time;
  private final Map<ScriptedMeeting, UpcomingMeeting> planned = new ConcurrentHashMap<>();
  private volatile String playing = "none";

  /** A meeting that has not started. */
  public record UpcomingMeeting(ScriptedMeeting gathering, Instant startsAt) {}

  public ScriptRunner(SimulationState simulationState, SimulationClock time) {
    this.simulationState = simulationState;
    this.time = time;
  }

  /** The name of the last started scenario; {@code none} before. */
  public String playing() {
    return playing;
  }

  /** Starts a scenario now. */
  public void play(SimulationScript simulationScript) {
    playing = simulationScript.name();
    simulationScript.meetings().forEach(meeting -> plan(meeting, Duration.ZERO, () -> {}));
  }

  /** Starts an endless script now: whenever a meeting begins, the next one is planned. */
  public void playForever(String name, Iterator<ScriptedMeeting> script) {
    playing = name;
    Instant start = time.instant();
    for (int i = 0; i < AHEAD; i++) {
      planNext(script, start);
    }
  }

  private void planNext(Iterator<ScriptedMeeting> script, Instant start) {
    ScriptedMeeting next = script.next();
    Duration passed = Duration.between(start, time.instant());
    plan(next, passed, () -> planNext(script, start));
    Duration closing = time.scaled(next.at().plus(next.lasts()).plus(LINGER)).minus(passed);
    time.after(closing, () -> simulationState.delete(next.room()));
  }

  /** Meetings that have not begun, soonest first. */
  public List<UpcomingMeeting> upcoming() {
    return planned.values().stream()
        .sorted(Comparator.comparing(UpcomingMeeting::startsAt))
        .toList();
  }

  private void plan(ScriptedMeeting scriptedMeeting, Duration passed, Runnable begun) {
    Duration wait = time.scaled(scriptedMeeting.at()).minus(passed);
    planned.put(scriptedMeeting, new UpcomingMeeting(scriptedMeeting, time.instant().plus(wait)));
    simulationState.ensure(
        RoomRequest.named(scriptedMeeting.room()).withLobby(scriptedMeeting.lobby()));
    time.after(
        wait,
        () -> {
          planned.remove(scriptedMeeting);
          begun.run();
        });
    MeetingScriptRunner meetingScriptRunner =
        new MeetingScriptRunner(simulationState, scriptedMeeting.room());
    for (ScriptStep scriptStep : ScriptStepPlanner.of(scriptedMeeting)) {
      time.after(
          wait.plus(time.scaled(scriptStep.at())), () -> meetingScriptRunner.perform(scriptStep));
    }
  }
}
