package io.convoke.lab.sim.script;

import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.World;
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
public final class Player {

  /** How many meetings of an endless script are planned ahead. */
  private static final int AHEAD = 8;

  /** How long the room of an endless script's meeting stays after it. */
  private static final Duration LINGER = Duration.ofHours(2);

  private final World world;
  private final SimTime time;
  private final Map<Gathering, Planned> planned = new ConcurrentHashMap<>();
  private volatile String playing = "none";

  /** A meeting that is still to come. */
  public record Planned(Gathering gathering, Instant startsAt) {}

  public Player(World world, SimTime time) {
    this.world = world;
    this.time = time;
  }

  /** The name of what was started last; {@code none} before. */
  public String playing() {
    return playing;
  }

  /** Starts a scenario now. */
  public void play(Scenario scenario) {
    playing = scenario.name();
    scenario.meetings().forEach(meeting -> plan(meeting, Duration.ZERO, () -> {}));
  }

  /** Starts an endless script now: whenever a meeting begins, the next one is planned. */
  public void playForever(String name, Iterator<Gathering> script) {
    playing = name;
    Instant start = time.instant();
    for (int i = 0; i < AHEAD; i++) {
      planNext(script, start);
    }
  }

  private void planNext(Iterator<Gathering> script, Instant start) {
    Gathering next = script.next();
    Duration passed = Duration.between(start, time.instant());
    plan(next, passed, () -> planNext(script, start));
    Duration gone = time.scaled(next.at().plus(next.lasts()).plus(LINGER)).minus(passed);
    time.after(gone, () -> world.delete(next.room()));
  }

  /** Meetings that have not begun, soonest first. */
  public List<Planned> upcoming() {
    return planned.values().stream().sorted(Comparator.comparing(Planned::startsAt)).toList();
  }

  private void plan(Gathering gathering, Duration passed, Runnable begun) {
    Duration wait = time.scaled(gathering.at()).minus(passed);
    planned.put(gathering, new Planned(gathering, time.instant().plus(wait)));
    world.ensure(RoomRequest.named(gathering.room()).withLobby(gathering.lobby()));
    time.after(
        wait,
        () -> {
          planned.remove(gathering);
          begun.run();
        });
    Actor actor = new Actor(world, gathering.room());
    for (Step step : Steps.of(gathering)) {
      time.after(wait.plus(time.scaled(step.at())), () -> actor.take(step));
    }
  }
}
