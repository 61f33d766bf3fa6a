package io.convoke.simulator.script;

import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Generates plausible office meetings from a seed, without end.
 *
 * <p>Every kind of meeting has its own rhythm, one after the other with a pause, so that a handful
 * run at any time; they are emitted in the order in which they start. Each has its own room, named
 * after the kind and numbered, and no employee is in two at once.
 */
public final class OfficeDayGenerator implements Iterator<ScriptedMeeting> {

  private static final String DICE = "office day";

  /** The busy times of the staff. */
  private record BusyInterval(Duration from, Duration until) {}

  private final SimulatedOffice simulatedOffice = SimulatedOffice.load();
  private final Map<String, List<BusyInterval>> diary = new HashMap<>();
  private final List<ScriptedMeeting> next = new ArrayList<>();
  private final SeededRandom seededRandom;
  private final int[] held;

  public OfficeDayGenerator(long seed) {
    this(seed, Duration.ZERO);
  }

  /**
   * An office day that begins later.
   *
   * @param from before this moment of the script nothing starts
   */
  public OfficeDayGenerator(long seed, Duration from) {
    this.seededRandom = new SeededRandom(seed, 0);
    this.held = new int[simulatedOffice.meetings().size()];
    for (int kind = 0; kind < held.length; kind++) {
      Duration wait = kind == 0 ? Duration.ofSeconds(5) : minutes(0, 6, "first " + kind);
      Duration first = from.plus(wait);
      next.add(gathering(kind, first));
    }
  }

  /** Every line of any of its meetings. */
  public static List<String> allLines() {
    return SimulatedOffice.load().meetings().stream()
        .flatMap(officeMeetingKind -> officeMeetingKind.lines().stream())
        .toList();
  }

  @Override
  public boolean hasNext() {
    return true;
  }

  @Override
  @SuppressWarnings("IteratorNextMethodMissesNoSuchElement")
  public ScriptedMeeting next() {
    ScriptedMeeting soonest =
        next.stream().min(Comparator.comparing(ScriptedMeeting::at)).orElseThrow();
    int kind = next.indexOf(soonest);
    Duration pause = minutes(4, 14, "pause " + soonest.room());
    next.set(kind, gathering(kind, soonest.at().plus(soonest.lasts()).plus(pause)));
    return soonest;
  }

  /** The kind's next meeting: at this time, or as soon after as two of the staff are free. */
  private ScriptedMeeting gathering(int index, Duration earliest) {
    SimulatedOffice.OfficeMeetingKind officeMeetingKind = simulatedOffice.meetings().get(index);
    String room = officeMeetingKind.room() + "-" + ++held[index];
    Duration lasts =
        minutes(
            officeMeetingKind.minutes().getFirst(),
            officeMeetingKind.minutes().getLast(),
            room + " lasts");
    Duration at = earliest;
    while (free(at, at.plus(lasts)).size() < 2) {
      at = at.plusMinutes(3);
    }
    List<ScriptedMeeting.ScriptedPerson> people = people(officeMeetingKind, room, at, lasts);
    boolean recorded =
        seededRandom.uniform(DICE, room + " recorded") < officeMeetingKind.recorded();
    ScriptedMeeting.ScriptedRecording scriptedRecording =
        new ScriptedMeeting.ScriptedRecording(
            "cloud",
            Duration.ofMinutes(1),
            lasts.minus(Duration.ofMinutes(1)),
            Recording.RecordingOutcome.FINISHED);
    return new ScriptedMeeting(
        room,
        officeMeetingKind.title(),
        at,
        lasts,
        false,
        new Lobby.OpenLobby(),
        people,
        lines(officeMeetingKind, room, lasts, people),
        recorded ? List.of(scriptedRecording) : List.of());
  }

  private List<ScriptedMeeting.ScriptedPerson> people(
      SimulatedOffice.OfficeMeetingKind officeMeetingKind,
      String room,
      Duration at,
      Duration lasts) {
    List<ScriptedMeeting.ScriptedPerson> people = new ArrayList<>();
    List<String> staff = some(free(at, at.plus(lasts)), officeMeetingKind.staff(), room + " staff");
    List<String> guests =
        some(simulatedOffice.guests(), officeMeetingKind.guests(), room + " guests");
    for (String name : staff) {
      diary.computeIfAbsent(name, n -> new ArrayList<>()).add(new BusyInterval(at, at.plus(lasts)));
      Visitor visitor =
          new Visitor(
              Optional.of(name.split(" ", -1)[0].toLowerCase(Locale.ROOT)),
              Optional.of(name),
              people.isEmpty(),
              true);
      people.add(
          new ScriptedMeeting.ScriptedPerson(
              name, visitor, visits(room + name, lasts, people.isEmpty())));
    }
    for (String name : guests) {
      people.add(
          new ScriptedMeeting.ScriptedPerson(
              name, Visitor.named(name), visits(room + name, lasts, false)));
    }
    return people;
  }

  /**
   * The host stays from start to end; others come a little late, and one in eight drops out once.
   */
  private List<ScriptedMeeting.ScriptedVisit> visits(String key, Duration lasts, boolean host) {
    if (host) {
      return List.of(new ScriptedMeeting.ScriptedVisit(Duration.ZERO, lasts));
    }
    Duration join = Duration.ofSeconds(seededRandom.between(5, 100, DICE, key + " join"));
    Duration leave = lasts.minusSeconds(seededRandom.between(3, 60, DICE, key + " leave"));
    if (seededRandom.uniform(DICE, key + " drops") >= 0.125) {
      return List.of(new ScriptedMeeting.ScriptedVisit(join, leave));
    }
    Duration drop = join.plus(lasts.dividedBy(3));
    Duration back = drop.plusSeconds(seededRandom.between(8, 50, DICE, key + " back"));
    return List.of(
        new ScriptedMeeting.ScriptedVisit(join, drop),
        new ScriptedMeeting.ScriptedVisit(back, leave));
  }

  /** The lines in order, spread over the meeting; speakers alternate. */
  private List<ScriptedMeeting.ScriptedLine> lines(
      SimulatedOffice.OfficeMeetingKind officeMeetingKind,
      String room,
      Duration lasts,
      List<ScriptedMeeting.ScriptedPerson> people) {
    List<ScriptedMeeting.ScriptedLine> lines = new ArrayList<>();
    Duration talk = lasts.minus(Duration.ofMinutes(3)).dividedBy(officeMeetingKind.lines().size());
    int speaker = 0;
    for (String text : officeMeetingKind.lines()) {
      int place = lines.size();
      Duration wobble =
          Duration.ofSeconds(seededRandom.between(0, 15, DICE, room + " line " + place));
      Duration at = Duration.ofSeconds(105).plus(talk.multipliedBy(place)).plus(wobble);
      lines.add(
          new ScriptedMeeting.ScriptedLine(at, people.get(speaker % people.size()).key(), text));
      speaker += seededRandom.between(1, 2, DICE, room + " turn " + place);
    }
    return lines;
  }

  /** Staff with nothing else to do in this span. */
  private List<String> free(Duration from, Duration until) {
    Duration past =
        next.stream().map(ScriptedMeeting::at).min(Comparator.naturalOrder()).orElse(from);
    diary.values().forEach(slots -> slots.removeIf(s -> s.until().compareTo(past) < 0));
    return simulatedOffice.staff().stream()
        .filter(
            name ->
                diary.getOrDefault(name, List.of()).stream()
                    .noneMatch(s -> s.from().compareTo(until) < 0 && from.compareTo(s.until()) < 0))
        .toList();
  }

  /** Some of these, as many as a range allows, in an order of chance. */
  private List<String> some(List<String> names, List<Integer> range, String key) {
    int count = seededRandom.between(range.getFirst(), range.getLast(), DICE, key);
    return names.stream()
        .sorted(Comparator.comparingDouble(name -> seededRandom.uniform(DICE, key + name)))
        .limit(count)
        .toList();
  }

  private Duration minutes(int low, int high, String key) {
    return Duration.ofSeconds(seededRandom.between(low * 60, high * 60, DICE, key));
  }
}
