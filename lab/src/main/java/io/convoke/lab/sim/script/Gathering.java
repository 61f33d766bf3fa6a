package io.convoke.lab.sim.script;

import io.convoke.lab.sim.world.Lobby;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.Visitor;
import java.time.Duration;
import java.util.List;

/**
 * One meeting as a script tells it. Every time inside counts from the meeting's own start.
 *
 * @param at when it starts, from the start of the script
 * @param lasts when it is over at the latest
 * @param hostEnds whether a host then ends it for all participants
 */
public record Gathering(
    String room,
    String title,
    Duration at,
    Duration lasts,
    boolean hostEnds,
    Lobby lobby,
    List<Person> people,
    List<Line> lines,
    List<Tape> tapes) {

  /**
   * A participant with one or more visits; overlapping visits are two tabs.
   *
   * @param key what lines call the person: name, else user id, else place in the list
   */
  public record Person(String key, Visitor visitor, List<Visit> visits) {}

  /** From joining to leaving. */
  public record Visit(Duration join, Duration leave) {}

  /** Something that is said, if the person is there. */
  public record Line(Duration at, String who, String text) {}

  /** A recording of the meeting, if it still runs then. */
  public record Tape(String type, Duration from, Duration until, Recording.Outcome outcome) {}
}
