package io.convoke.bench.signals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Chooses the next actor. It continues until one signal has met a poll at a drawn distance from its
 * start, if a poll is to come.
 */
final class InterleavingScheduler {
  /** A poll takes two turns or three, and its end is one of them. */
  private static final int MIDWAY_MAX = 4;

  /** Turns that it waits for a poll to begin. */
  private static final int PATIENCE = 40;

  /** The event of a turn. */
  enum SchedulerTurn {
    SIGNAL,
    FAULT,
    WORKER,
    TIME
  }

  private final List<SchedulerTurn> turns = new ArrayList<>();

  /** Turns from the beginning of the first poll to a signal; negative once that is set. */
  private int midway;

  private int waited;
  private boolean polled;

  InterleavingScheduler(SplittableRandom random) {
    int number = 5 + random.nextInt(9);
    for (int i = 0; i < number; i++) {
      turns.add(random.nextInt(6) == 0 ? SchedulerTurn.TIME : SchedulerTurn.WORKER);
    }
    int faults = random.nextBoolean() ? 0 : 1 + random.nextInt(2);
    for (int i = 0; i < faults; i++) {
      turns.add(1 + random.nextInt(turns.size() - 1), SchedulerTurn.FAULT);
    }
    int later = random.nextInt(4);
    for (int i = 0; i < later; i++) {
      turns.add(random.nextInt(turns.size() + 1), SchedulerTurn.SIGNAL);
    }
    turns.addFirst(SchedulerTurn.SIGNAL);
    midway = random.nextInt(MIDWAY_MAX);
  }

  /** A poll has begun. */
  void polled() {
    polled = true;
  }

  boolean blows() {
    return !turns.isEmpty() || (midway >= 0 && waited++ < PATIENCE);
  }

  SchedulerTurn next() {
    if (polled && midway >= 0 && midway-- == 0) {
      return SchedulerTurn.SIGNAL;
    }
    return turns.isEmpty() ? SchedulerTurn.WORKER : turns.removeFirst();
  }
}
