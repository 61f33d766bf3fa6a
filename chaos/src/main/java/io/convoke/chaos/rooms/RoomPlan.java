package io.convoke.chaos.rooms;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.PlanDraw;
import io.convoke.chaos.PlanFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Who speaks, who comes and goes, and what fails when.
 *
 * @param sentences of each person, in the order of joining
 */
record RoomPlan(
    long seed,
    Duration phase,
    Map<String, List<String>> sentences,
    List<PlannedAbsence> absences,
    List<RoomFault> faults) {
  private static final Duration FAULT_EVERY = Duration.ofSeconds(12);
  private static final int FAULTS_MAX = 4;

  /** Without Postgres for so long, calls are refused; after a shorter time they are only late. */
  private static final Duration REFUSED = Duration.ofMillis(6500);

  /** Without Postgres for so long, each bot has tried to send a piece of its recording. */
  private static final Duration UNSENT = Duration.ofSeconds(15);

  /** No two persons have a word in common that tells them apart. */
  static final Map<String, List<String>> EVERYBODY = new LinkedHashMap<>();

  static {
    EVERYBODY.put("Ada", List.of("We sell the boat on Monday.", "The budget is nearly spent."));
    EVERYBODY.put(
        "Ben", List.of("My brother drives a yellow truck.", "It never rains in that desert."));
    EVERYBODY.put(
        "Cleo", List.of("Please call the office tomorrow.", "Her contract was signed already."));
    EVERYBODY.put(
        "Dan", List.of("Our flight leaves around seven.", "This kitchen smells like coffee."));
  }

  /** Comes when the faults are over, with the name of another person. */
  static final String NAMESAKE = "Eve";

  private static final List<String> HERS =
      List.of("Nothing grows without some water.", "They found nine green bottles.");

  /** The name by which a person is in the room. */
  static String shown(String person) {
    return person.equals(NAMESAKE) ? EVERYBODY.keySet().iterator().next() : person;
  }

  /** What anyone may say. */
  static List<String> allSentences() {
    return Stream.concat(EVERYBODY.values().stream().flatMap(List::stream), HERS.stream()).toList();
  }

  /** What a person of the plan says, in turn. */
  List<String> of(String name) {
    return Objects.requireNonNull(everyone().get(name));
  }

  /** The sentences of each person, also of the one who comes last. */
  Map<String, List<String>> everyone() {
    Map<String, List<String>> all = new LinkedHashMap<>(sentences);
    all.put(NAMESAKE, HERS);
    return all;
  }

  /** A person leaves and comes again. */
  record PlannedAbsence(String name, Duration from, Duration to) {}

  /** What can fail besides servers. */
  enum RoomTarget {
    JANUS("Janus"),
    BOT("the bot"),
    BROWSER("a Chromium with its people"),
    POD("the pod that records"),
    ENCODER("the ffmpeg of the pod"),
    SERVER("a server"),
    MEDIA("media packets"),
    POSTGRES("Postgres"),
    REDIS("Redis");

    /** What a plan has four of. */
    static final List<RoomTarget> DRAWN = List.of(JANUS, BOT, BROWSER, POD, ENCODER, SERVER, MEDIA);

    private final String text;

    RoomTarget(String text) {
      this.text = text;
    }
  }

  /** How it fails. */
  enum RoomFailure {
    DIES("%s is killed, started again after %s"),
    HANGS("%s hangs for %s"),
    LOSES("5 %% of the %s are lost for %s");

    private final String text;

    RoomFailure(String text) {
      this.text = text;
    }
  }

  /** A planned fault. */
  record RoomFault(Duration at, RoomTarget target, RoomFailure how, Duration span) {
    RoomFault at(Duration time) {
      return new RoomFault(time, target, how, span);
    }

    @Override
    public String toString() {
      boolean ours = target == RoomTarget.POD || target == RoomTarget.SERVER;
      String text =
          ours && how == RoomFailure.DIES ? "kill -9 of %s, started again after %s" : how.text;
      return PlanFormat.at(at, text.formatted(target.text, PlanFormat.seconds(span)));
    }
  }

  RoomPlan {
    absences = List.copyOf(absences);
    faults = List.copyOf(faults);
  }

  /** The plan of a seed. */
  static RoomPlan of(long seed, ChaosSettings settings) {
    SplittableRandom random = new SplittableRandom(seed);
    PlanDraw draw = new PlanDraw(random, settings.faultPhase());
    List<String> names = new ArrayList<>(EVERYBODY.keySet()).subList(0, random.nextInt(2, 5));
    Map<String, List<String>> sentences = new LinkedHashMap<>();
    names.forEach(name -> sentences.put(name, EVERYBODY.getOrDefault(name, List.of())));
    Duration left = draw.share(0.2, 0.5);
    PlannedAbsence absence =
        new PlannedAbsence(
            names.get(random.nextInt(names.size())), left, left.plus(draw.share(0.1, 0.2)));
    List<RoomFault> all = new ArrayList<>();
    for (RoomTarget target : RoomTarget.DRAWN) {
      all.add(drawn(target, draw));
    }
    Collections.shuffle(all, new Random(random.nextLong()));
    long number = Math.clamp(settings.faultPhase().dividedBy(FAULT_EVERY), 1, FAULTS_MAX);
    List<RoomFault> faults = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      Duration at = draw.share((i + 0.4) / number, (i + 0.6) / number);
      faults.add(all.get(i).at(at));
    }
    if (number == FAULTS_MAX) {
      RoomFault store =
          seed % 2 == 0
              ? drawn(RoomTarget.REDIS, draw)
              : new RoomFault(
                  Duration.ZERO,
                  RoomTarget.POSTGRES,
                  RoomFailure.DIES,
                  seed % 4 == 1 ? UNSENT : REFUSED);
      faults.add(FAULTS_MAX / 2, store.at(settings.faultPhase().dividedBy(2)));
    }
    return new RoomPlan(seed, settings.faultPhase(), sentences, List.of(absence), faults);
  }

  private static RoomFault drawn(RoomTarget target, PlanDraw draw) {
    boolean hangs = draw.random().nextInt(3) == 0;
    RoomFailure how =
        switch (target) {
          case BROWSER, ENCODER -> RoomFailure.DIES;
          case MEDIA -> RoomFailure.LOSES;
          case JANUS, BOT, POD, SERVER, POSTGRES, REDIS ->
              hangs ? RoomFailure.HANGS : RoomFailure.DIES;
        };
    return new RoomFault(Duration.ZERO, target, how, draw.millis(500, 3000));
  }

  /** What the command prints before the run. */
  List<String> lines() {
    return Stream.concat(
            Stream.of(
                "seed %d: %s speak, %s is away for a while"
                    .formatted(seed, sentences.keySet(), absences.getFirst().name())),
            faults.stream().map(fault -> "  " + fault))
        .toList();
  }
}
