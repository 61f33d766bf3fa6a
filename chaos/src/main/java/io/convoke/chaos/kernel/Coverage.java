package io.convoke.chaos.kernel;

import java.util.List;
import java.util.stream.Stream;

/**
 * How much of the product's behaviour a run has seen. A run below one of its floors is vacuous:
 * that no rule was broken proves nothing.
 */
public record Coverage(List<Floor> floors) {
  /** Nothing is required. */
  public static final Coverage NONE = new Coverage(List.of());

  /**
   * A number of observations and the least that a run must have.
   *
   * @param what in plain words
   */
  public record Floor(String what, double seen, double least) {
    boolean kept() {
      return seen >= least;
    }

    @Override
    public String toString() {
      return what + " " + number(seen) + " of at least " + number(least);
    }

    private static String number(double value) {
      return value == Math.rint(value)
          ? Long.toString((long) value)
          : "%.2f".formatted(value).replace(',', '.');
    }
  }

  /** With another floor for a number. */
  public Coverage with(String what, long seen, long least) {
    return and(new Floor(what, seen, least));
  }

  /** With another floor for a share of all, as a part of one. */
  public Coverage withShare(String what, long part, long all, double least) {
    return and(new Floor(what, all == 0 ? 0 : (double) part / all, least));
  }

  private Coverage and(Floor floor) {
    return new Coverage(Stream.concat(floors.stream(), Stream.of(floor)).toList());
  }

  /** The floors that were not reached. */
  public List<Floor> missed() {
    return floors.stream().filter(floor -> !floor.kept()).toList();
  }
}
