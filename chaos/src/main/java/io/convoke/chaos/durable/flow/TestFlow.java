package io.convoke.chaos.durable.flow;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A workflow that the client starts, with its expected activities and results.
 *
 * @param id of its instance
 * @param size number of steps, branches, children, events or iterations
 * @param salt seed of its activities' properties
 */
public record TestFlow(String id, TestFlowKind kind, int size, int salt) {

  /** Shape of a flow. */
  public enum TestFlowKind {
    /** Activities in sequence, with timers in between. */
    CHAIN,
    /** All activities in parallel. */
    FAN,
    /** Parallel sub-workflows of two activities each. */
    PARENT,
    /** One activity per distinct external event, each wait with a timer. */
    TICKS,
    /** Continues as new after each activity. */
    LOOP,
    /** Takes one of several events that are raised at once, and continues as new after each. */
    COLLECT,
    /** Activities in sequence, with timers of known lengths in between. */
    TIMED,
    /** Takes events of one name that are raised one after the other, in their order. */
    ORDERED,
    /** Activities in parallel of which few may run at the same time; the first fails at first. */
    LIMITED,
    /** One activity whose first attempt hangs until its timeout. */
    HANGING,
    /** Activities in parallel that last for most of a lock; each second one fails at first. */
    LONG,
    /** Fails, and is begun again. */
    RETRIED,
    /** An activity that fails for good in its first attempt, and another instead of it. */
    REFUSED,
    /** Ends while an activity that always fails waits for its next attempt. */
    LEAVING,
    /** Waits, as its sub-workflow does, until it is cancelled; its activities clean up. */
    CANCELLED,
    /** Steps in place; each second flow has a timer after each. */
    STEPPED,
    /** A saga: activities, one that fails for good, and a compensation for each of the others. */
    SAGA;

    /** Workflow name. */
    public String workflow() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Id of the schedule whose runs last longer than from one tick to the next. */
  public static final String LONG_RUNS = "schedlong";

  /** Beginning of the ids of flows that run while nothing else happens. */
  public static final String CALM = "calm";

  /** How many activities of limited flows may run at the same time, on all nodes. */
  public static final int LIMIT = 2;

  private static final long LIMITED_MS = 200;
  private static final long LONG_MS = 5000;
  private static final long STEP_MS = 600;

  /** In which two attempts of the activity that is left open fail. */
  private static final long LEFT_AFTER_MS = 200;

  /** Far longer than a timed flow lasts, and than its turns may come late. */
  private static final Duration LEFT_OPEN = Duration.ofSeconds(4);

  private static final int PAUSE_MIN_MS = 20;
  private static final int PAUSE_MAX_MS = 400;

  /** The activity with this number. */
  public TestActivity activity(int number) {
    TestActivity drawn = TestActivity.of(this, number);
    return switch (kind) {
      case SAGA ->
          number < size
              ? drawn
              : number == size
                  ? drawn.failingAlways()
                  : drawn.undoing(TestActivity.of(this, number - size - 1));
      case HANGING -> drawn.hanging();
      case REFUSED -> number == 0 ? drawn.refused() : drawn;
      case LEAVING -> number == 0 ? drawn.succeedingAfter(LEFT_AFTER_MS) : drawn.leftOpen();
      case LIMITED -> number == 0 ? drawn.failingOnceAfter(LIMITED_MS) : drawn.lasting(LIMITED_MS);
      case LONG ->
          number % 2 == 0 ? drawn.failingOnceAfter(LONG_MS) : drawn.succeedingAfter(LONG_MS);
      case STEPPED -> drawn.succeedingAfter(STEP_MS);
      case CHAIN, FAN, PARENT, TICKS, LOOP, COLLECT, TIMED, ORDERED, RETRIED, CANCELLED -> drawn;
    };
  }

  /** How long a timed flow sleeps before this activity, if it does. */
  public Optional<Duration> pause(int number) {
    SplittableRandom random = new SplittableRandom(salt * 1000L + 500 + number);
    return kind == TestFlowKind.TIMED && number > 0 && random.nextInt(3) > 0
        ? Optional.of(Duration.ofMillis(random.nextInt(PAUSE_MIN_MS, PAUSE_MAX_MS)))
        : Optional.empty();
  }

  /**
   * A timer that a timed flow begins with and never waits for, while nothing else happens: work
   * that is due does not wait for it.
   */
  public Optional<Duration> leftOpen() {
    return kind == TestFlowKind.TIMED && id.startsWith(CALM)
        ? Optional.of(LEFT_OPEN)
        : Optional.empty();
  }

  /** All timers that it begins, in their order. */
  public List<Duration> timers() {
    return Stream.concat(
            leftOpen().stream(),
            IntStream.range(0, size).boxed().flatMap(number -> pause(number).stream()))
        .toList();
  }

  /** All activities that are executed, by number. */
  public List<TestActivity> activities() {
    int count =
        switch (kind) {
          case CHAIN,
              FAN,
              TICKS,
              LOOP,
              COLLECT,
              TIMED,
              ORDERED,
              LIMITED,
              LONG,
              RETRIED,
              CANCELLED ->
              size;
          case HANGING, LEAVING -> 1;
          case STEPPED -> 0;
          case REFUSED -> 2;
          case PARENT -> 2 * size;
          case SAGA -> 2 * size + 1;
        };
    return IntStream.range(0, count).mapToObj(this::activity).toList();
  }

  /** The steps of a stepped flow, by number. */
  public List<TestActivity> steps() {
    return kind == TestFlowKind.STEPPED
        ? IntStream.range(0, size).mapToObj(this::activity).toList()
        : List.of();
  }

  /** Whether a stepped flow waits between its steps. */
  public boolean pauses() {
    return salt % 2 == 0;
  }

  /** The workflow's result: the sum of the amounts of the activities and steps that succeed. */
  public long output() {
    long failed =
        switch (kind) {
          case SAGA -> activity(size).amount();
          case REFUSED -> activity(0).amount();
          case CHAIN, FAN, PARENT, TICKS, LOOP, COLLECT, TIMED, ORDERED, LIMITED -> 0;
          case HANGING, LONG, RETRIED, CANCELLED, STEPPED, LEAVING -> 0;
        };
    return amounts().sum() - failed + steps().stream().mapToLong(TestActivity::amount).sum();
  }

  /** Sum of all bookings, including those of activities that fail after booking. */
  public long booked() {
    return amounts().sum();
  }

  /** All instances at the end, its own first. */
  public List<String> instances() {
    int children =
        switch (kind) {
          case PARENT -> size;
          case CANCELLED -> 1;
          case CHAIN, FAN, TICKS, LOOP, COLLECT, TIMED, ORDERED, LIMITED -> 0;
          case HANGING, LONG, RETRIED, REFUSED, STEPPED, LEAVING, SAGA -> 0;
        };
    return Stream.concat(Stream.of(id), IntStream.range(0, children).mapToObj(this::child))
        .toList();
  }

  /** Instance id of a sub-workflow. */
  public String child(int number) {
    return id + ".c" + number;
  }

  /** Number of executions of its own instance. */
  public int executions() {
    return switch (kind) {
      case LOOP, COLLECT -> size;
      case RETRIED -> 2;
      case CHAIN, FAN, PARENT, TICKS, TIMED, ORDERED, LIMITED -> 1;
      case HANGING, LONG, REFUSED, CANCELLED, STEPPED, LEAVING, SAGA -> 1;
    };
  }

  /** The flow as one token of a command list. */
  public String text() {
    return String.join(":", id, kind.name(), Integer.toString(size), Integer.toString(salt));
  }

  public static TestFlow parse(String text) {
    List<String> parts = new ArrayList<>(List.of(text.split(":", -1)));
    return new TestFlow(
        parts.get(0),
        TestFlowKind.valueOf(parts.get(1)),
        Integer.parseInt(parts.get(2)),
        Integer.parseInt(parts.get(3)));
  }

  /** Whether this run of a schedule, which has its tick in its id, fails by plan: each third. */
  public static boolean failingRun(String instance) {
    return Instant.parse(instance.substring(instance.indexOf('@') + 1)).getEpochSecond() % 3 == 0;
  }

  public static boolean longRun(String instance) {
    return instance.startsWith(LONG_RUNS + "@");
  }

  private LongStream amounts() {
    return activities().stream().mapToLong(TestActivity::amount);
  }
}
