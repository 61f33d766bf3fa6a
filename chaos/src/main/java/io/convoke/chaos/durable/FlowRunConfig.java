package io.convoke.chaos.durable;

import java.time.Duration;

/** The times that nodes under torment are given, and what follows from them. */
final class FlowRunConfig {
  static final int NODES = 3;

  /** Of turns and of work items; a worker renews after a third of it. */
  static final Duration LOCK = Duration.ofSeconds(6);

  /** A node that hangs has lost all its locks when it goes on. */
  static final Duration HANGING = Duration.ofSeconds(8);

  /** Between two looks of a node that was told nothing; so rare that a lost wake-up is seen. */
  static final Duration FALLBACK = Duration.ofSeconds(10);

  static final Duration SKEW = Duration.ofSeconds(5);

  /** The longest timer that a flow asks for. */
  static final Duration TIMER_MAX = Duration.ofSeconds(1);

  /** What was renewed last is locked for two thirds more, so a restart within it was no lock's. */
  static final Duration RESTART_MAX = Duration.ofMillis(3500);

  static final Duration RESTART_P99 = Duration.ofMillis(1500);

  /** After connections were cut or Postgres came back, nodes have found each other again. */
  static final Duration RECOVERED = Duration.ofMillis(2500);

  /** After the storm: locks end, a fallback goes by, pauses between attempts, a slow machine. */
  static final Duration END_MAX = LOCK.plus(FALLBACK).plusSeconds(40);

  private FlowRunConfig() {}
}
