package io.convoke.chaos.durable.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * One workflow that is started from outside, and everything that follows from it.
 *
 * @param id of its instance
 * @param size how many steps, branches, children, events or rounds it has
 * @param salt draws its errands
 */
public record TestFlow(String id, TestFlowKind kind, int size, int salt) {

  /** What a flow is made of. */
  public enum TestFlowKind {
    /** Errands one after another, with timers in between. */
    CHAIN,
    /** All errands at once. */
    FAN,
    /** Sub-workflows of two errands each, all at once. */
    PARENT,
    /** An errand for each different external event, with a timer beside each wait. */
    TICKS,
    /** Continues as new after each errand. */
    LOOP,
    /** Errands, one that fails for good, and for each of the others one that undoes it. */
    SAGA;

    /** The name of the workflow. */
    public String workflow() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The errand of a number. */
  public TestActivity errand(int number) {
    TestActivity drawn = TestActivity.of(this, number);
    if (kind != TestFlowKind.SAGA || number < size) {
      return drawn;
    }
    return number == size
        ? drawn.failingAlways()
        : drawn.undoing(TestActivity.of(this, number - size - 1));
  }

  /** All errands that are run, by number. */
  public List<TestActivity> errands() {
    int count =
        switch (kind) {
          case CHAIN, FAN, TICKS, LOOP -> size;
          case PARENT -> 2 * size;
          case SAGA -> 2 * size + 1;
        };
    return IntStream.range(0, count).mapToObj(this::errand).toList();
  }

  /** What the workflow comes to: the amounts of the errands that succeed. */
  public long output() {
    return amounts().sum() - (kind == TestFlowKind.SAGA ? errand(size).amount() : 0);
  }

  /** What is booked in the end, by whatever failed after its booking too. */
  public long booked() {
    return amounts().sum();
  }

  /** The instances that there are in the end, itself first. */
  public List<String> instances() {
    return kind == TestFlowKind.PARENT
        ? Stream.concat(Stream.of(id), IntStream.range(0, size).mapToObj(this::child)).toList()
        : List.of(id);
  }

  /** The instance of a sub-workflow. */
  public String child(int number) {
    return id + ".c" + number;
  }

  /** How many executions its own instance has in the end. */
  public int executions() {
    return kind == TestFlowKind.LOOP ? size : 1;
  }

  /** As one word for a list of orders. */
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

  private LongStream amounts() {
    return errands().stream().mapToLong(TestActivity::amount);
  }
}
