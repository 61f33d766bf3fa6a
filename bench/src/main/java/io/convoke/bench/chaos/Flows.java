package io.convoke.bench.chaos;

import io.convoke.engine.durable.ActivityFailed;
import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.Promise;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.lab.chaos.durable.flow.Errand;
import io.convoke.lab.chaos.durable.flow.Flow;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** The workflows of the scenario: each comes to the sum of the amounts of its errands. */
final class Flows {
  static final String ERRAND = "errand";
  static final String TICK = "tick";
  private static final String LEAF = "leaf";

  /** Attempts that end with their node count, so there are many. */
  private static final ActivityOptions PATIENT =
      ActivityOptions.retried(
          new RetryPolicy(20, Duration.ofMillis(50), 1.5, Duration.ofSeconds(1)));

  private static final ActivityOptions WATCHED = PATIENT.beating(Duration.ofSeconds(5));
  private static final ActivityOptions HOPELESS =
      ActivityOptions.retried(RetryPolicy.attempts(3, Duration.ofMillis(30)));
  private static final long SLOW_MS = 500;
  private static final Duration LOOK_UP = Duration.ofSeconds(1);
  private static final int PAUSE_MIN_MS = 20;
  private static final int PAUSE_MAX_MS = 400;

  /**
   * What an errand came to.
   *
   * @param attempt the one that did it
   */
  record Done(long amount, int attempt) {}

  /** One round of a loop, and what the rounds before came to. */
  record Round(Flow flow, int number, long sum) {}

  /** A branch of a parent. */
  record Leaf(Flow flow, int number) {}

  private Flows() {}

  static Durable.Builder on(Durable.Builder engine) {
    return engine
        .workflow(Flow.Kind.CHAIN.workflow(), Flow.class, Flows::chain)
        .workflow(Flow.Kind.FAN.workflow(), Flow.class, Flows::fan)
        .workflow(Flow.Kind.PARENT.workflow(), Flow.class, Flows::parent)
        .workflow(Flow.Kind.TICKS.workflow(), Flow.class, Flows::ticks)
        .workflow(Flow.Kind.SAGA.workflow(), Flow.class, Flows::saga)
        .workflow(Flow.Kind.LOOP.workflow(), Round.class, Flows::round)
        .workflow(LEAF, Leaf.class, Flows::leaf);
  }

  /** What a flow is started with. */
  static Object input(Flow flow) {
    return flow.kind() == Flow.Kind.LOOP ? new Round(flow, 0, 0) : flow;
  }

  private static long chain(WorkflowContext context, Flow flow) {
    long sum = 0;
    for (int i = 0; i < flow.size(); i++) {
      if (i > 0 && context.random().nextInt(3) == 0) {
        context.sleep(Duration.ofMillis(context.random().nextInt(PAUSE_MIN_MS, PAUSE_MAX_MS)));
      }
      sum += run(context, flow.errand(i));
    }
    return sum;
  }

  private static long fan(WorkflowContext context, Flow flow) {
    List<Promise<Done>> branches =
        IntStream.range(0, flow.size()).mapToObj(i -> order(context, flow.errand(i))).toList();
    return context.all(branches).stream().mapToLong(Done::amount).sum();
  }

  private static long parent(WorkflowContext context, Flow flow) {
    List<Promise<Long>> children =
        IntStream.range(0, flow.size())
            .mapToObj(i -> context.child(LEAF, flow.child(i), new Leaf(flow, i), Long.class))
            .toList();
    return context.all(children).stream().mapToLong(Long::longValue).sum();
  }

  private static long leaf(WorkflowContext context, Leaf leaf) {
    long first = run(context, leaf.flow().errand(2 * leaf.number()));
    return first + run(context, leaf.flow().errand(2 * leaf.number() + 1));
  }

  /** Events may arrive twice, because senders repeat unacknowledged ones. */
  private static long ticks(WorkflowContext context, Flow flow) {
    Set<Integer> seen = new HashSet<>();
    long sum = 0;
    while (seen.size() < flow.size()) {
      Promise<Integer> next = context.event(TICK, Integer.class);
      while (context.select(List.of(next, context.timer(LOOK_UP))) == 1) {
        context.status("waits after " + seen.size() + " of " + flow.size());
      }
      if (seen.add(next.get())) {
        sum += run(context, flow.errand(next.get()));
      }
    }
    return sum;
  }

  private static long round(WorkflowContext context, Round round) {
    long sum = round.sum() + run(context, round.flow().errand(round.number()));
    if (round.number() + 1 < round.flow().size()) {
      throw context.continueAsNew(new Round(round.flow(), round.number() + 1, sum));
    }
    return sum;
  }

  private static long saga(WorkflowContext context, Flow flow) {
    long sum = 0;
    for (int i = 0; i < flow.size(); i++) {
      sum += run(context, flow.errand(i));
    }
    try {
      sum += run(context, flow.errand(flow.size()));
    } catch (ActivityFailed expected) {
      for (int i = 0; i < flow.size(); i++) {
        sum += run(context, flow.errand(flow.size() + 1 + i));
      }
    }
    return sum;
  }

  private static long run(WorkflowContext context, Errand errand) {
    return order(context, errand).get().amount();
  }

  private static Promise<Done> order(WorkflowContext context, Errand errand) {
    ActivityOptions options =
        errand.failures() == Errand.ALWAYS
            ? HOPELESS
            : errand.millis() > SLOW_MS ? WATCHED : PATIENT;
    return context.order(ERRAND, errand, Done.class, options);
  }
}
