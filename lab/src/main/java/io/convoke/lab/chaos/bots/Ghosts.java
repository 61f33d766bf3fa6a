package io.convoke.lab.chaos.bots;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Copies of calls, passed on or lost, which come again when all is over. */
final class Ghosts {
  /** Of each call of each bot; all its heartbeats are the same one. */
  private static final int EACH = 2;

  private static final int MAX = 400;

  private final ConcurrentLinkedQueue<Ghost> kept = new ConcurrentLinkedQueue<>();
  private final AtomicInteger number = new AtomicInteger();

  record Ghost(String bot, Sent sent) {}

  /** Keeps a copy of one of the first calls of its name. */
  void keep(String bot, Sent sent, int time) {
    if (time <= EACH && number.incrementAndGet() <= MAX) {
      boolean _ = kept.add(new Ghost(bot, sent));
    }
  }

  /** All of them, in an order that follows from the seed and from the order they were kept in. */
  List<Ghost> shuffled(long seed) {
    List<Ghost> all = new ArrayList<>(kept);
    Collections.shuffle(all, new Random(seed));
    return all;
  }
}
