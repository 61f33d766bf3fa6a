package io.convoke.engine.wake;

import io.convoke.engine.wake.Interleavings.Actor;
import io.convoke.engine.wake.Interleavings.Run;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A model of a queue table and a clock. Time passes only while no actor can move, so an item that
 * is visible and unclaimed then would wait for the fallback: a lost wake-up.
 */
final class WakeModel {
  private final int[] visibleAt;
  private final boolean[] committed;
  private final boolean[] taken;
  private int clock;
  private Optional<String> lost = Optional.empty();

  WakeModel(int... visibleAt) {
    this.visibleAt = visibleAt.clone();
    this.committed = new boolean[visibleAt.length];
    this.taken = new boolean[visibleAt.length];
  }

  int clock() {
    return clock;
  }

  String commit(int item) {
    committed[item] = true;
    return "item " + item + " for " + visibleAt[item];
  }

  boolean taken(int item) {
    return taken[item];
  }

  int visibleAt(int item) {
    return visibleAt[item];
  }

  /** How long an item will stay invisible; zero when it can be seen now. */
  int untilVisible(int item) {
    return Math.max(0, visibleAt[item] - clock);
  }

  /** The first claimable item, or -1. */
  int candidate() {
    for (int item = 0; item < taken.length; item++) {
      if (takeable(item)) {
        return item;
      }
    }
    return -1;
  }

  /** Claims an item, unless another actor has. */
  boolean take(int item) {
    boolean mine = takeable(item);
    taken[item] = true;
    return mine;
  }

  /** The next instant at which something becomes visible. */
  OptionalInt next() {
    OptionalInt next = OptionalInt.empty();
    for (int item = 0; item < taken.length; item++) {
      if (committed[item] && !taken[item] && visibleAt[item] > clock) {
        next = OptionalInt.of(Math.min(next.orElse(Integer.MAX_VALUE), visibleAt[item]));
      }
    }
    return next;
  }

  /** Lets time pass whenever nothing else happens. */
  Actor clockOf(Run run) {
    int end = Arrays.stream(visibleAt).max().orElse(0);
    return run.actor(
        "time",
        me ->
            () -> {
              for (int i = 0; i < end; i++) {
                int now = me.when(() -> run.quiet(me), "passes", this::tick);
                assert now <= end;
              }
            });
  }

  Optional<String> lost() {
    noteLoss();
    return lost;
  }

  @Override
  public String toString() {
    return clock + Arrays.toString(committed) + Arrays.toString(taken) + lost;
  }

  private int tick() {
    noteLoss();
    return ++clock;
  }

  private void noteLoss() {
    int left = candidate();
    if (lost.isEmpty() && left >= 0) {
      lost = Optional.of("at " + clock + " item " + left + " is visible and no dispatcher polls");
    }
  }

  private boolean takeable(int item) {
    return committed[item] && !taken[item] && visibleAt[item] <= clock;
  }
}
