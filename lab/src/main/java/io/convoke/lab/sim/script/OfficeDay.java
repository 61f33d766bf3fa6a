package io.convoke.lab.sim.script;

import io.convoke.lab.sim.time.Draws;
import io.convoke.lab.sim.world.Lobby;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.Visitor;
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
 * An office whose day never ends: plausible meetings from a seed, without end.
 *
 * <p>Every kind of meeting follows its own rhythm, one after the other with a pause, so that a
 * handful run at any time; they come out in the order in which they start. Each has a room of its
 * own, named after the kind and numbered, and no member of the staff is in two at once.
 */
public final class OfficeDay implements Iterator<Gathering> {

  private static final String DICE = "office day";

  /** The busy times of the staff. */
  private record Slot(Duration from, Duration until) {}

  private final Office office = Office.load();
  private final Map<String, List<Slot>> diary = new HashMap<>();
  private final List<Gathering> next = new ArrayList<>();
  private final Draws draws;
  private final int[] held;

  public OfficeDay(long seed) {
    this(seed, Duration.ZERO);
  }

  /**
   * An office day that begins later.
   *
   * @param from before this moment of the script nothing starts
   */
  public OfficeDay(long seed, Duration from) {
    this.draws = new Draws(seed, 0);
    this.held = new int[office.meetings().size()];
    for (int kind = 0; kind < held.length; kind++) {
      Duration wait = kind == 0 ? Duration.ofSeconds(5) : minutes(0, 6, "first " + kind);
      Duration first = from.plus(wait);
      next.add(gathering(kind, first));
    }
  }

  /** Everything that may be said in any of its meetings. */
  public static List<String> everythingSaid() {
    return Office.load().meetings().stream().flatMap(kind -> kind.lines().stream()).toList();
  }

  @Override
  public boolean hasNext() {
    return true;
  }

  @Override
  @SuppressWarnings("IteratorNextMethodMissesNoSuchElement")
  public Gathering next() {
    Gathering soonest = next.stream().min(Comparator.comparing(Gathering::at)).orElseThrow();
    int kind = next.indexOf(soonest);
    Duration pause = minutes(4, 14, "pause " + soonest.room());
    next.set(kind, gathering(kind, soonest.at().plus(soonest.lasts()).plus(pause)));
    return soonest;
  }

  /** The kind's next meeting: at this time, or as soon after as two of the staff are free. */
  private Gathering gathering(int index, Duration earliest) {
    Office.Kind kind = office.meetings().get(index);
    String room = kind.room() + "-" + ++held[index];
    Duration lasts = minutes(kind.minutes().getFirst(), kind.minutes().getLast(), room + " lasts");
    Duration at = earliest;
    while (free(at, at.plus(lasts)).size() < 2) {
      at = at.plusMinutes(3);
    }
    List<Gathering.Person> people = people(kind, room, at, lasts);
    boolean recorded = draws.uniform(DICE, room + " recorded") < kind.recorded();
    Gathering.Tape tape =
        new Gathering.Tape(
            "cloud",
            Duration.ofMinutes(1),
            lasts.minus(Duration.ofMinutes(1)),
            Recording.Outcome.FINISHED);
    return new Gathering(
        room,
        kind.title(),
        at,
        lasts,
        false,
        new Lobby.Open(),
        people,
        lines(kind, room, lasts, people),
        recorded ? List.of(tape) : List.of());
  }

  private List<Gathering.Person> people(
      Office.Kind kind, String room, Duration at, Duration lasts) {
    List<Gathering.Person> people = new ArrayList<>();
    List<String> staff = some(free(at, at.plus(lasts)), kind.staff(), room + " staff");
    List<String> guests = some(office.guests(), kind.guests(), room + " guests");
    for (String name : staff) {
      diary.computeIfAbsent(name, n -> new ArrayList<>()).add(new Slot(at, at.plus(lasts)));
      Visitor visitor =
          new Visitor(
              Optional.of(name.split(" ", -1)[0].toLowerCase(Locale.ROOT)),
              Optional.of(name),
              people.isEmpty(),
              true);
      people.add(new Gathering.Person(name, visitor, visits(room + name, lasts, people.isEmpty())));
    }
    for (String name : guests) {
      people.add(
          new Gathering.Person(name, Visitor.named(name), visits(room + name, lasts, false)));
    }
    return people;
  }

  /**
   * The host stays from start to end; others come a little late, and one in eight drops out once.
   */
  private List<Gathering.Visit> visits(String key, Duration lasts, boolean host) {
    if (host) {
      return List.of(new Gathering.Visit(Duration.ZERO, lasts));
    }
    Duration join = Duration.ofSeconds(draws.between(5, 100, DICE, key + " join"));
    Duration leave = lasts.minusSeconds(draws.between(3, 60, DICE, key + " leave"));
    if (draws.uniform(DICE, key + " drops") >= 0.125) {
      return List.of(new Gathering.Visit(join, leave));
    }
    Duration drop = join.plus(lasts.dividedBy(3));
    Duration back = drop.plusSeconds(draws.between(8, 50, DICE, key + " back"));
    return List.of(new Gathering.Visit(join, drop), new Gathering.Visit(back, leave));
  }

  /** The lines in their order, spread over the meeting; the speakers take turns. */
  private List<Gathering.Line> lines(
      Office.Kind kind, String room, Duration lasts, List<Gathering.Person> people) {
    List<Gathering.Line> lines = new ArrayList<>();
    Duration talk = lasts.minus(Duration.ofMinutes(3)).dividedBy(kind.lines().size());
    int speaker = 0;
    for (String text : kind.lines()) {
      int place = lines.size();
      Duration wobble = Duration.ofSeconds(draws.between(0, 15, DICE, room + " line " + place));
      Duration at = Duration.ofSeconds(105).plus(talk.multipliedBy(place)).plus(wobble);
      lines.add(new Gathering.Line(at, people.get(speaker % people.size()).key(), text));
      speaker += draws.between(1, 2, DICE, room + " turn " + place);
    }
    return lines;
  }

  /** Staff with nothing else to do in this span. */
  private List<String> free(Duration from, Duration until) {
    Duration past = next.stream().map(Gathering::at).min(Comparator.naturalOrder()).orElse(from);
    diary.values().forEach(slots -> slots.removeIf(s -> s.until().compareTo(past) < 0));
    return office.staff().stream()
        .filter(
            name ->
                diary.getOrDefault(name, List.of()).stream()
                    .noneMatch(s -> s.from().compareTo(until) < 0 && from.compareTo(s.until()) < 0))
        .toList();
  }

  /** Some of these, as many as a range allows, in an order of chance. */
  private List<String> some(List<String> names, List<Integer> range, String key) {
    int count = draws.between(range.getFirst(), range.getLast(), DICE, key);
    return names.stream()
        .sorted(Comparator.comparingDouble(name -> draws.uniform(DICE, key + name)))
        .limit(count)
        .toList();
  }

  private Duration minutes(int low, int high, String key) {
    return Duration.ofSeconds(draws.between(low * 60, high * 60, DICE, key));
  }
}
