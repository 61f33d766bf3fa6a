package io.convoke.chaos.durable;

import java.time.Duration;
import java.util.List;

/** Timeouts of the nodes under test, and the bounds derived from them. */
final class FlowRunConfig {
  static final int NODES = 3;

  /** Lock duration of orchestration turns and work items; a worker renews after a third of it. */
  static final Duration LOCK = Duration.ofSeconds(6);

  /** Long enough that a suspended node has lost all its locks on resuming. */
  static final Duration HANGING = Duration.ofSeconds(8);

  /** Fallback poll interval; long, so that a lost wake-up is visible. */
  static final Duration FALLBACK = Duration.ofSeconds(10);

  static final Duration SKEW = Duration.ofSeconds(5);

  /** The longest timer a flow requests. */
  static final Duration TIMER_MAX = Duration.ofSeconds(1);

  /**
   * A lock has at least two thirds of its duration left, so a faster restart was not due to lock
   * expiry.
   */
  static final Duration RESTART_MAX = Duration.ofMillis(3500);

  static final Duration RESTART_P99 = Duration.ofMillis(1500);

  /** Time to reconnect after connections were cut or Postgres restarted. */
  static final Duration RECOVERED = Duration.ofMillis(2500);

  /** The same beyond the time that every scenario grants. */
  static final Duration RECONNECTED = Duration.ofMillis(1500);

  /** A node may notice a fault before the injector has noted it. */
  static final Duration NOTICED = Duration.ofMillis(100);

  /** After the storm: lock expiry, a fallback poll, retry backoff, a slow machine. */
  static final Duration END_MAX = LOCK.plus(FALLBACK).plusSeconds(40);

  /** Flows that start at once after the fault phase, and when all are at work. */
  static final int TOGETHER = 15;

  static final Duration BEGUN = Duration.ofMillis(1500);

  /** Steps of a flow, and when a node is killed that runs some. */
  static final int STEPS = 7;

  static final Duration KILLED = Duration.ofMillis(3200);

  /** When and how often connections to Postgres break while flows run steps. */
  static final Duration CUT = Duration.ofMillis(3700);

  static final int CUTS = 12;

  static final Duration BETWEEN_CUTS = Duration.ofMillis(60);

  /** Chains that run one after the other once all is quiet. */
  static final int CALM_FLOWS = 20;

  static final Duration CALM_GAP = Duration.ofMillis(500);

  /** While nothing else happens a flow whose wake-up is lost waits for that of the next. */
  static final Duration CALM_P99 = Duration.ofMillis(450);

  /** Id of the schedule, and how long it runs. */
  static final String SCHEDULE = "sched";

  static final Duration SCHEDULED = Duration.ofSeconds(5);

  /** Id of the schedule that also runs every second, while nodes die. */
  static final String SCHEDULE_DURING_FAULTS = "schedstorm";

  /** Channels on which nodes hear of new work. */
  static final List<String> CHANNELS = List.of("durable_orch_work", "durable_worker_work");

  private FlowRunConfig() {}
}
