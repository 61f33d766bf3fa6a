package io.convoke.simulator.script;

import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Generates scenarios that are hard for presence: reused rooms, participants who rejoin, two tabs
 * of one user, visits of a few seconds, participants without names, and hidden ones.
 */
public final class RandomScenarioGenerator {

  private static final String DICE = "random scenario";

  private final SeededRandom seededRandom;
  private final Duration length;

  private RandomScenarioGenerator(long seed, Duration length) {
    this.seededRandom = new SeededRandom(seed, 0);
    this.length = length;
  }

  /**
   * The scenario of a seed.
   *
   * @param rooms how many rooms are used, each for one to three meetings in turn
   * @param length when the last meeting is over
   */
  public static SimulationScript of(long seed, int rooms, Duration length) {
    RandomScenarioGenerator dice = new RandomScenarioGenerator(seed, length);
    List<ScriptedMeeting> meetings = new ArrayList<>();
    for (int room = 1; room <= rooms; room++) {
      meetings.addAll(dice.room("room-" + room));
    }
    return new SimulationScript("random " + seed, meetings);
  }

  private List<ScriptedMeeting> room(String room) {
    int count = seededRandom.between(1, 3, DICE, room + " meetings");
    Duration slot = length.dividedBy(count);
    List<ScriptedMeeting> meetings = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String key = room + "/" + i;
      Duration at = slot.multipliedBy(i).plus(part(slot, 0, 0.3, key + " at"));
      Duration lasts = part(slot, 0.4, 0.7, key + " lasts");
      meetings.add(meeting(room, key, at, lasts));
    }
    return meetings;
  }

  private ScriptedMeeting meeting(String room, String key, Duration at, Duration lasts) {
    List<ScriptedMeeting.ScriptedPerson> people = new ArrayList<>();
    int count = seededRandom.between(1, 7, DICE, key + " people");
    for (int i = 0; i < count; i++) {
      people.add(person(key + "/" + i, i, lasts));
    }
    boolean hostEnds = chance(0.3, key + " host");
    return new ScriptedMeeting(
        room,
        "Meeting " + key,
        at,
        lasts,
        hostEnds,
        new Lobby.OpenLobby(),
        people,
        List.of(),
        List.of());
  }

  private ScriptedMeeting.ScriptedPerson person(String key, int index, Duration lasts) {
    Optional<String> name =
        chance(0.15, key + " nameless") ? Optional.empty() : Optional.of("Person " + index);
    Optional<String> userId =
        chance(0.5, key + " user") ? Optional.of("user-" + index) : Optional.empty();
    Visitor visitor =
        new Visitor(userId, name, chance(0.2, key + " owner"), !chance(0.1, key + " hidden"));
    List<ScriptedMeeting.ScriptedVisit> visits = new ArrayList<>();
    Duration join = part(lasts, 0, 0.4, key + " join");
    Duration leave = join.plus(part(lasts, 0.02, 0.5, key + " stay"));
    visits.add(new ScriptedMeeting.ScriptedVisit(join, leave));
    if (chance(0.4, key + " rejoins")) {
      Duration again = leave.plus(part(lasts, 0.005, 0.1, key + " pause"));
      visits.add(
          new ScriptedMeeting.ScriptedVisit(
              again, again.plus(part(lasts, 0.02, 0.3, key + " again"))));
    }
    if (chance(0.25, key + " second tab")) {
      Duration tab = join.plus(part(leave.minus(join), 0.1, 0.5, key + " tab"));
      visits.add(
          new ScriptedMeeting.ScriptedVisit(
              tab, tab.plus(part(lasts, 0.01, 0.3, key + " tab stay"))));
    }
    String person = name.or(() -> userId).orElse("guest " + (index + 1));
    return new ScriptedMeeting.ScriptedPerson(person, visitor, visits);
  }

  private boolean chance(double probability, String key) {
    return seededRandom.uniform(DICE, key) < probability;
  }

  /** A share of a span between two bounds, in whole milliseconds. */
  private Duration part(Duration whole, double low, double high, String key) {
    double share = low + (high - low) * seededRandom.uniform(DICE, key);
    return Duration.ofMillis(Math.max(1, Math.round(whole.toMillis() * share)));
  }
}
