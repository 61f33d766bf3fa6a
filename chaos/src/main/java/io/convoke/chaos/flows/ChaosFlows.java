package io.convoke.chaos.flows;

import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.Promise;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowCancelledException;
import io.convoke.engine.durable.WorkflowContext;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The workflows of the scenario; each returns the sum of its activities' amounts. */
final class ChaosFlows {
  static final String ERRAND = "errand";
  static final String TICK = "tick";
  static final String PULSE = "pulse";
  private static final String NEVER = "never";
  private static final String LEAF = "leaf";
  private static final String WAITING = "waiting";

  /** High, since attempts that die with their node count too. */
  private static final ActivityOptions PATIENT =
      ActivityOptions.retried(
          new RetryPolicy(20, TestActivity.PAUSE, TestActivity.LONGER, Duration.ofSeconds(1)));

  private static final ActivityOptions WATCHED = PATIENT.beating(Duration.ofSeconds(5));
  private static final ActivityOptions HOPELESS =
      ActivityOptions.retried(RetryPolicy.attempts(3, Duration.ofMillis(30)));

  /** Far shorter than an attempt that hangs. */
  private static final ActivityOptions TIMED_OUT = PATIENT.within(Duration.ofSeconds(1));

  private static final ActivityOptions SCARCE = PATIENT.atMost(TestFlow.LIMIT, "scarce");

  /** In which events arrive that are taken later. */
  private static final Duration BEFORE_EVENTS = Duration.ofMillis(700);

  private static final Duration LEFT_OPEN = Duration.ofMillis(400);
  private static final Duration WAITED_FOR = Duration.ofMillis(900);
  private static final Duration HALF_A_LONG_RUN = Duration.ofMillis(800);
  private static final long SLOW_MS = 500;
  private static final Duration LOOK_UP = Duration.ofSeconds(1);
  private static final int PAUSE_MIN_MS = 20;
  private static final int PAUSE_MAX_MS = 400;

  /**
   * Result of an activity.
   *
   * @param attempt the attempt that completed it
   */
  record TestActivityResult(long amount, int attempt) {}

  /** A loop iteration with the sum so far. */
  record LoopRound(TestFlow flow, int number, long sum) {}

  /** What is left to collect: the events taken so far, and their sum. */
  record CollectRound(TestFlow flow, List<Integer> taken, long sum) {}

  /** A branch of a parent. */
  record BranchInput(TestFlow flow, int number) {}

  private ChaosFlows() {}

  static Durable.Builder on(Durable.Builder engine) {
    return engine
        .workflow(TestFlow.TestFlowKind.CHAIN.workflow(), TestFlow.class, ChaosFlows::chain)
        .workflow(TestFlow.TestFlowKind.FAN.workflow(), TestFlow.class, ChaosFlows::fan)
        .workflow(TestFlow.TestFlowKind.PARENT.workflow(), TestFlow.class, ChaosFlows::parent)
        .workflow(TestFlow.TestFlowKind.TICKS.workflow(), TestFlow.class, ChaosFlows::ticks)
        .workflow(TestFlow.TestFlowKind.SAGA.workflow(), TestFlow.class, ChaosFlows::saga)
        .workflow(TestFlow.TestFlowKind.LOOP.workflow(), LoopRound.class, ChaosFlows::round)
        .workflow(TestFlow.TestFlowKind.COLLECT.workflow(), CollectRound.class, ChaosFlows::collect)
        .workflow(TestFlow.TestFlowKind.CANCELLED.workflow(), TestFlow.class, ChaosFlows::cancelled)
        .workflow(TestFlow.TestFlowKind.TIMED.workflow(), TestFlow.class, ChaosFlows::timed)
        .workflow(TestFlow.TestFlowKind.ORDERED.workflow(), TestFlow.class, ChaosFlows::ordered)
        .workflow(TestFlow.TestFlowKind.LIMITED.workflow(), TestFlow.class, ChaosFlows::limited)
        .workflow(TestFlow.TestFlowKind.LONG.workflow(), TestFlow.class, ChaosFlows::fan)
        .workflow(TestFlow.TestFlowKind.HANGING.workflow(), TestFlow.class, ChaosFlows::hanging)
        .workflow(TestFlow.TestFlowKind.RETRIED.workflow(), TestFlow.class, ChaosFlows::retried)
        .workflow(TestFlow.TestFlowKind.REFUSED.workflow(), TestFlow.class, ChaosFlows::refused)
        .workflow(TestFlow.TestFlowKind.LEAVING.workflow(), TestFlow.class, ChaosFlows::leaving)
        .workflow(PULSE, String.class, ChaosFlows::pulse)
        .workflow(WAITING, String.class, ChaosFlows::waiting)
        .workflow(LEAF, BranchInput.class, ChaosFlows::leaf);
  }

  /** Input of a flow. */
  static Object input(TestFlow testFlow) {
    return switch (testFlow.kind()) {
      case LOOP -> new LoopRound(testFlow, 0, 0);
      case COLLECT -> new CollectRound(testFlow, List.of(), 0);
      case CHAIN,
          FAN,
          PARENT,
          TICKS,
          TIMED,
          ORDERED,
          LIMITED,
          LONG,
          HANGING,
          RETRIED,
          REFUSED,
          LEAVING,
          CANCELLED,
          STEPPED,
          SAGA ->
          testFlow;
    };
  }

  private static long chain(WorkflowContext context, TestFlow testFlow) {
    long sum = 0;
    for (int i = 0; i < testFlow.size(); i++) {
      if (i > 0 && context.random().nextInt(3) == 0) {
        context.sleep(Duration.ofMillis(context.random().nextInt(PAUSE_MIN_MS, PAUSE_MAX_MS)));
      }
      sum += run(context, testFlow.activity(i));
    }
    return sum;
  }

  private static long fan(WorkflowContext context, TestFlow testFlow) {
    List<Promise<TestActivityResult>> branches =
        IntStream.range(0, testFlow.size())
            .mapToObj(i -> order(context, testFlow.activity(i)))
            .toList();
    return context.all(branches).stream().mapToLong(TestActivityResult::amount).sum();
  }

  private static long parent(WorkflowContext context, TestFlow testFlow) {
    List<Promise<Long>> children =
        IntStream.range(0, testFlow.size())
            .mapToObj(
                i ->
                    context.child(
                        LEAF, testFlow.child(i), new BranchInput(testFlow, i), Long.class))
            .toList();
    return context.all(children).stream().mapToLong(Long::longValue).sum();
  }

  private static long leaf(WorkflowContext context, BranchInput branch) {
    long first = run(context, branch.flow().activity(2 * branch.number()));
    return first + run(context, branch.flow().activity(2 * branch.number() + 1));
  }

  /** Events may arrive twice, because senders repeat unacknowledged ones. */
  private static long ticks(WorkflowContext context, TestFlow testFlow) {
    Set<Integer> seen = new HashSet<>();
    long sum = 0;
    while (seen.size() < testFlow.size()) {
      Promise<Integer> next = context.event(TICK, Integer.class);
      while (context.select(List.of(next, context.timer(LOOK_UP))) == 1) {
        context.status("waits after " + seen.size() + " of " + testFlow.size());
      }
      if (seen.add(next.get())) {
        sum += run(context, testFlow.activity(next.get()));
      }
    }
    return sum;
  }

  private static long round(WorkflowContext context, LoopRound round) {
    long sum = round.sum() + run(context, round.flow().activity(round.number()));
    if (round.number() + 1 < round.flow().size()) {
      throw context.continueAsNew(new LoopRound(round.flow(), round.number() + 1, sum));
    }
    return sum;
  }

  /**
   * An event that a sender repeated is no reason for another round. Each second round leaves a
   * timer open, which is not to end that of the next.
   */
  private static long collect(WorkflowContext context, CollectRound round) {
    boolean waits = round.taken().size() % 2 == 1;
    Promise<Instant> timer = context.timer(waits ? WAITED_FOR : LEFT_OPEN);
    int event = context.event(TICK, Integer.class).get();
    while (round.taken().contains(event)) {
      event = context.event(TICK, Integer.class).get();
    }
    long sum = round.sum() + run(context, round.flow().activity(event));
    if (waits) {
      Instant _ = timer.get();
    }
    List<Integer> taken = Stream.concat(round.taken().stream(), Stream.of(event)).toList();
    if (taken.size() < round.flow().size()) {
      throw context.continueAsNew(new CollectRound(round.flow(), taken, sum));
    }
    return sum;
  }

  private static long timed(WorkflowContext context, TestFlow testFlow) {
    testFlow.leftOpen().ifPresent(context::timer);
    long sum = 0;
    for (int i = 0; i < testFlow.size(); i++) {
      testFlow.pause(i).ifPresent(context::sleep);
      sum += run(context, testFlow.activity(i));
    }
    return sum;
  }

  /** An event that a sender repeated counts once; one that comes before an earlier one fails it. */
  private static long ordered(WorkflowContext context, TestFlow testFlow) {
    context.sleep(BEFORE_EVENTS);
    long sum = 0;
    for (int i = 0; i < testFlow.size(); i++) {
      int event = context.event(TICK, Integer.class).get();
      while (event < i) {
        event = context.event(TICK, Integer.class).get();
      }
      if (event > i) {
        throw new IllegalStateException("event " + event + " came before event " + i);
      }
      sum += run(context, testFlow.activity(i));
    }
    return sum;
  }

  private static long limited(WorkflowContext context, TestFlow testFlow) {
    List<Promise<TestActivityResult>> all =
        IntStream.range(0, testFlow.size())
            .mapToObj(
                i -> context.order(ERRAND, testFlow.activity(i), TestActivityResult.class, SCARCE))
            .toList();
    return context.all(all).stream().mapToLong(TestActivityResult::amount).sum();
  }

  private static long hanging(WorkflowContext context, TestFlow testFlow) {
    return context
        .order(ERRAND, testFlow.activity(0), TestActivityResult.class, TIMED_OUT)
        .get()
        .amount();
  }

  /** Fails unless the error tells what the activity threw. */
  private static long refused(WorkflowContext context, TestFlow testFlow) {
    try {
      return run(context, testFlow.activity(0));
    } catch (ActivityFailedException refusal) {
      if (!refusal.errorType().equals(Optional.of(IllegalArgumentException.class.getName()))) {
        throw new IllegalStateException("refused by " + refusal.errorType(), refusal);
      }
      return run(context, testFlow.activity(1));
    }
  }

  private static long leaving(WorkflowContext context, TestFlow testFlow) {
    Promise<TestActivityResult> _ = order(context, testFlow.activity(1));
    return run(context, testFlow.activity(0));
  }

  private static long retried(WorkflowContext context, TestFlow testFlow) {
    if (context.executionId() == 1) {
      throw new IllegalStateException("the first execution fails by plan");
    }
    return chain(context, testFlow);
  }

  /** A run of a schedule; its tick is in the id. */
  private static String pulse(WorkflowContext context, String input) {
    if (TestFlow.longRun(context.instanceId())) {
      context.sleep(HALF_A_LONG_RUN);
      context.sleep(HALF_A_LONG_RUN);
    }
    if (TestFlow.failingRun(context.instanceId())) {
      throw new IllegalStateException("this run fails by plan");
    }
    return input;
  }

  private static long cancelled(WorkflowContext context, TestFlow testFlow) {
    Promise<Long> waiting = context.child(WAITING, testFlow.child(0), "", Long.class);
    try {
      return context.event(NEVER, Integer.class).get();
    } catch (WorkflowCancelledException expected) {
      long sum = waiting.get();
      for (int i = 0; i < testFlow.size(); i++) {
        sum += run(context, testFlow.activity(i));
      }
      return sum;
    }
  }

  /** Ends when its parent is cancelled. */
  private static long waiting(WorkflowContext context, String input) {
    try {
      return context.event(NEVER, Integer.class).get();
    } catch (WorkflowCancelledException expected) {
      return 0;
    }
  }

  private static long saga(WorkflowContext context, TestFlow testFlow) {
    long sum = 0;
    for (int i = 0; i < testFlow.size(); i++) {
      sum += run(context, testFlow.activity(i));
    }
    try {
      sum += run(context, testFlow.activity(testFlow.size()));
    } catch (ActivityFailedException expected) {
      for (int i = 0; i < testFlow.size(); i++) {
        sum += run(context, testFlow.activity(testFlow.size() + 1 + i));
      }
    }
    return sum;
  }

  private static long run(WorkflowContext context, TestActivity activity) {
    return order(context, activity).get().amount();
  }

  private static Promise<TestActivityResult> order(WorkflowContext context, TestActivity activity) {
    ActivityOptions options = activity.millis() > SLOW_MS ? WATCHED : PATIENT;
    if (activity.failures() == TestActivity.ALWAYS) {
      options = HOPELESS;
    } else if (activity.failures() == 0 && activity.number() % 2 == 1) {
      // Only attempts that die with their nodes are repeated.
      options = ActivityOptions.ONCE;
    }
    return context.order(ERRAND, activity, TestActivityResult.class, options);
  }
}
