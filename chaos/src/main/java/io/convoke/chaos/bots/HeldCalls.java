package io.convoke.chaos.bots;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Copies of calls, forwarded or dropped, for replay after the end. */
final class HeldCalls {
  /** Copies per call of each bot; all heartbeats count as one call. */
  private static final int EACH = 2;

  private static final int MAX = 400;

  private final ConcurrentLinkedQueue<HeldCall> kept = new ConcurrentLinkedQueue<>();
  private final AtomicInteger number = new AtomicInteger();

  record HeldCall(String bot, SentCallback sent) {}

  /** Keeps a copy of one of the first calls with this name. */
  void keep(String bot, SentCallback sentCallback, int time) {
    if (time <= EACH && number.incrementAndGet() <= MAX) {
      boolean _ = kept.add(new HeldCall(bot, sentCallback));
    }
  }

  /** All copies, in an order derived from the seed and their arrival. */
  List<HeldCall> shuffled(long seed) {
    List<HeldCall> all = new ArrayList<>(kept);
    Collections.shuffle(all, new Random(seed));
    return all;
  }
}
