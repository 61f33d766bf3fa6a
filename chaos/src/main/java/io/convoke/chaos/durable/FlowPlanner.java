package io.convoke.chaos.durable;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanDraw;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Makes the plan of a seed. Deterministic for a seed and settings. */
final class FlowPlanner {
  /** Kinds that were added later, one after the other. */
  private static final List<TestFlow.TestFlowKind> OTHERS =
      List.of(
          TestFlow.TestFlowKind.CANCELLED,
          TestFlow.TestFlowKind.TIMED,
          TestFlow.TestFlowKind.COLLECT,
          TestFlow.TestFlowKind.ORDERED,
          TestFlow.TestFlowKind.LIMITED,
          TestFlow.TestFlowKind.HANGING,
          TestFlow.TestFlowKind.RETRIED);

  /** Kinds that begin at fixed times or after the fault phase. */
  private static final Set<TestFlow.TestFlowKind> NOT_DRAWN =
      Set.of(
          TestFlow.TestFlowKind.REFUSED,
          TestFlow.TestFlowKind.LEAVING,
          TestFlow.TestFlowKind.LONG,
          TestFlow.TestFlowKind.STEPPED);

  private static final List<TestFlow.TestFlowKind> KINDS =
      Stream.of(TestFlow.TestFlowKind.values())
          .filter(kind -> !OTHERS.contains(kind) && !NOT_DRAWN.contains(kind))
          .toList();

  /** From the start of the schedule that runs during the faults until it is turned off. */
  private static final Duration SCHEDULE_LESS = Duration.ofSeconds(2);

  /** How long all nodes are gone at once, so that ticks are missed. */
  private static final Duration ALL_DOWN = Duration.ofMillis(2500);

  /** Interval between flows of the other kinds. */
  private static final Duration BETWEEN_OTHERS = Duration.ofMillis(200);

  /**
   * Interval between flows with an activity that fails for good, and between those that leave one.
   */
  private static final Duration BETWEEN_REFUSED = Duration.ofMillis(400);

  /** Activities of a limited flow: when one waits for its next attempt, others may begin. */
  private static final int LIMITED_SIZE = 2 * TestFlow.LIMIT;

  /** Mean interval between flow starts. */
  private static final Duration BETWEEN_FLOWS = Duration.ofMillis(70);

  /** Mean interval between kills: about as long as a node needs to restart. */
  private static final Duration BETWEEN_KILLS = Duration.ofSeconds(1);

  /** Interval between kills in runs that only measure restarts. */
  private static final Duration BETWEEN_KILLS_ALONE = Duration.ofMillis(1500);

  /** One in this many seeds only kills nodes. */
  private static final int KILLS_ALONE_EACH = 3;

  private final ChaosSettings settings;
  private final SplittableRandom random;
  private final PlanDraw draw;
  private final long seed;
  private final Duration faultPhase;

  /** Whether some nodes are of an earlier release, which does not know all kinds of flows. */
  private final boolean mixed;

  private FlowPlanner(long seed, ChaosSettings settings, boolean mixed) {
    this.mixed = mixed;
    this.settings = settings;
    this.random = new SplittableRandom(seed);
    this.draw = new PlanDraw(random, settings.faultPhase());
    this.seed = seed;
    this.faultPhase = settings.faultPhase();
  }

  static FlowPlan plan(long seed, ChaosSettings settings, boolean mixed) {
    return new FlowPlanner(seed, settings, mixed).plan();
  }

  private FlowPlan plan() {
    List<FlowOrder> orders = orders();
    return seed % KILLS_ALONE_EACH == 0
        ? new FlowPlan(seed, orders, killsAlone(), Optional.empty(), Duration.ZERO)
        : faultPhase(orders);
  }

  private FlowPlan faultPhase(List<FlowOrder> orders) {
    List<FlowFault> faults = new ArrayList<>(kills());
    if (!mixed) {
      faults.add(
          new FlowFault.OnNodes(
              new Fault.KillServers(
                  faultPhase.dividedBy(3),
                  IntStream.range(0, FlowRunConfig.NODES).boxed().toList(),
                  ALL_DOWN)));
    }
    faults.add(
        new FlowFault.OnNodes(
            new Fault.EndFirstConnections(
                faultPhase.multipliedBy(2).dividedBy(3), (int) (seed % FlowRunConfig.NODES))));
    if (seed % KILLS_ALONE_EACH == 1) {
      faults.add(
          new FlowFault.OnNodes(new Fault.RollServers(faultPhase.multipliedBy(3).dividedBy(4))));
    }
    Optional<Integer> shiftedClock = Optional.empty();
    if (random.nextInt(3) > 0) {
      faults.add(new FlowFault.CutConnections(draw.share(0.1, 0.9), 30 + random.nextInt(70)));
    }
    if (random.nextInt(2) == 0) {
      faults.add(
          new FlowFault.OnNodes(
              new Fault.PostgresAway(
                  draw.share(0.2, 0.8), Fault.StoreFailure.IS_KILLED, draw.millis(200, 1500))));
    }
    if (random.nextInt(3) == 0) {
      faults.add(
          new FlowFault.OnNodes(
              new Fault.HangServer(draw.share(0.1, 0.5), node(), FlowRunConfig.HANGING)));
    }
    if (random.nextInt(2) == 0) {
      faults.add(new FlowFault.BlackholeListener(draw.share(0.1, 0.7), node()));
    }
    if (random.nextInt(2) == 0) {
      int node = node();
      shiftedClock = Optional.of(node);
      Duration ahead = random.nextBoolean() ? FlowRunConfig.SKEW : FlowRunConfig.SKEW.negated();
      faults.add(new FlowFault.MoveClock(draw.share(0.05, 0.3), node, ahead));
      faults.add(new FlowFault.MoveClock(draw.share(0.6, 0.9), node, Duration.ZERO));
    }
    Duration clientAhead =
        switch (random.nextInt(4)) {
          case 0 -> FlowRunConfig.SKEW;
          case 1 -> FlowRunConfig.SKEW.negated();
          default -> Duration.ZERO;
        };
    return new FlowPlan(seed, orders, withAdded(faults), shiftedClock, clientAhead);
  }

  private List<FlowOrder> orders() {
    List<FlowOrder> orders = new ArrayList<>();
    int flows = Math.toIntExact(faultPhase.dividedBy(BETWEEN_FLOWS));
    for (int i = 0; i < flows; i++) {
      TestFlow.TestFlowKind testFlowKind = KINDS.get(random.nextInt(KINDS.size()));
      TestFlow testFlow =
          new TestFlow(
              "f" + seed + "-" + i, testFlowKind, 2 + random.nextInt(4), random.nextInt(1 << 20));
      Duration at = draw.share(0, 0.97);
      orders.add(new FlowOrder.StartFlow(at, testFlow, random.nextInt(2) == 0 ? 2 : 1));
      if (testFlowKind == TestFlow.TestFlowKind.TICKS) {
        for (int number = 0; number < testFlow.size(); number++) {
          orders.add(new FlowOrder.RaiseEvent(at.plus(draw.millis(0, 2500)), testFlow, number));
        }
      }
    }
    if (!mixed) {
      orders.addAll(others());
      for (int i = 0; i < faultPhase.dividedBy(BETWEEN_REFUSED); i++) {
        Duration at = BETWEEN_REFUSED.multipliedBy(i);
        for (TestFlow.TestFlowKind kind :
            List.of(TestFlow.TestFlowKind.REFUSED, TestFlow.TestFlowKind.LEAVING)) {
          TestFlow flow = new TestFlow(kind.workflow() + seed + "-" + i, kind, 1, i + 1);
          orders.add(new FlowOrder.StartFlow(at, flow, 1));
        }
      }
      orders.add(
          new FlowOrder.ScheduleRuns(
              Duration.ZERO, TestFlow.LONG_RUNS, faultPhase.minus(SCHEDULE_LESS)));
      orders.add(
          new FlowOrder.ScheduleRuns(
              Duration.ZERO,
              FlowRunConfig.SCHEDULE_DURING_FAULTS,
              faultPhase.minus(SCHEDULE_LESS)));
    }
    orders.sort(Comparator.comparing(FlowOrder::at));
    return List.copyOf(orders);
  }

  /** Drawn apart, so that a seed's other flows and faults stay as they were. */
  private List<FlowOrder> others() {
    SplittableRandom own = new SplittableRandom(seed + 1_000_003);
    List<FlowOrder> orders = new ArrayList<>();
    for (int i = 0; i < faultPhase.dividedBy(BETWEEN_OTHERS); i++) {
      TestFlow.TestFlowKind kind = OTHERS.get(i % OTHERS.size());
      int size = 1 + own.nextInt(4);
      TestFlow flow =
          new TestFlow(
              "o" + seed + "-" + i,
              kind,
              kind == TestFlow.TestFlowKind.LIMITED ? LIMITED_SIZE : size,
              own.nextInt(1 << 20));
      Duration at = BETWEEN_OTHERS.multipliedBy(i);
      orders.add(new FlowOrder.StartFlow(at, flow, 1));
      if (kind == TestFlow.TestFlowKind.CANCELLED) {
        orders.add(new FlowOrder.CancelFlow(at.plusMillis(own.nextInt(1500)), flow));
      }
      orders.add(new FlowOrder.EnqueueJob(at, new TestJob("j" + seed + "-" + i, own.nextInt(2))));
      if (kind == TestFlow.TestFlowKind.RETRIED) {
        orders.add(new FlowOrder.RetryFlow(at, flow));
      }
      if (kind == TestFlow.TestFlowKind.ORDERED) {
        orders.add(new FlowOrder.RaiseAllEvents(at, flow));
      }
      if (kind == TestFlow.TestFlowKind.COLLECT) {
        Duration together = at.plusMillis(own.nextInt(1500));
        for (int number = 0; number < flow.size(); number++) {
          orders.add(new FlowOrder.RaiseEvent(together, flow, number));
        }
      }
    }
    return orders;
  }

  /**
   * Timed flows one after the other, and two schedules, while nothing else happens and no node
   * fails.
   */
  static FlowPlan calm(long seed, Duration faultPhase) {
    List<FlowOrder> orders = new ArrayList<>();
    long flows = Math.min(FlowRunConfig.CALM_FLOWS, faultPhase.toSeconds() * 5 / 3);
    for (int i = 0; i < flows; i++) {
      String id = TestFlow.CALM + seed + "-" + i;
      TestFlow flow = new TestFlow(id, TestFlow.TestFlowKind.TIMED, 3, i + 1);
      orders.add(new FlowOrder.StartFlow(FlowRunConfig.CALM_GAP.multipliedBy(i), flow, 1));
    }
    orders.add(
        new FlowOrder.ScheduleRuns(Duration.ZERO, FlowRunConfig.SCHEDULE, FlowRunConfig.SCHEDULED));
    orders.add(
        new FlowOrder.ScheduleRuns(Duration.ZERO, TestFlow.LONG_RUNS, FlowRunConfig.SCHEDULED));
    return new FlowPlan(seed, orders, List.of(), Optional.empty(), Duration.ZERO);
  }

  /** Flows with long activities on all nodes, of which one hangs until others have its work. */
  static FlowPlan longActivities(long seed) {
    return afterwards(
        seed,
        startsAtOnce(seed, TestFlow.TestFlowKind.LONG, 2),
        List.of(
            new FlowFault.OnNodes(
                new Fault.HangServer(
                    FlowRunConfig.BEGUN,
                    (int) (seed % FlowRunConfig.NODES),
                    FlowRunConfig.HANGING))));
  }

  /**
   * Flows with steps and limited flows on all nodes, of which one is killed; then connections to
   * Postgres break again and again.
   */
  static FlowPlan steps(long seed) {
    List<FlowOrder> orders =
        new ArrayList<>(startsAtOnce(seed, TestFlow.TestFlowKind.STEPPED, FlowRunConfig.STEPS));
    orders.addAll(startsAtOnce(seed, TestFlow.TestFlowKind.LIMITED, LIMITED_SIZE));
    int node = (int) (seed % FlowRunConfig.NODES);
    List<FlowFault> faults = new ArrayList<>();
    faults.add(
        new FlowFault.OnNodes(
            new Fault.KillServers(FlowRunConfig.KILLED, List.of(node), Duration.ZERO)));
    for (int i = 0; i < FlowRunConfig.CUTS; i++) {
      faults.add(
          new FlowFault.CutConnections(
              FlowRunConfig.CUT.plus(FlowRunConfig.BETWEEN_CUTS.multipliedBy(i)), 100));
    }
    return afterwards(seed, orders, faults);
  }

  /** Flows that start at once. */
  private static List<FlowOrder> startsAtOnce(long seed, TestFlow.TestFlowKind kind, int size) {
    return IntStream.range(0, FlowRunConfig.TOGETHER)
        .mapToObj(i -> new TestFlow(kind.workflow() + seed + "-" + i, kind, size, i + 1))
        .<FlowOrder>map(flow -> new FlowOrder.StartFlow(Duration.ZERO, flow, 1))
        .toList();
  }

  /** A plan of what comes after the fault phase: no clock is off. */
  private static FlowPlan afterwards(long seed, List<FlowOrder> orders, List<FlowFault> faults) {
    return new FlowPlan(seed, orders, faults, Optional.empty(), Duration.ZERO);
  }

  /** Whether a node of this seed hangs for longer than its locks after the fault phase. */
  static boolean hasLongActivities(long seed, boolean mixed) {
    return !mixed && seed % KILLS_ALONE_EACH == 2;
  }

  private List<FlowFault> kills() {
    List<FlowFault> kills = new ArrayList<>();
    long number = Math.max(1, faultPhase.dividedBy(BETWEEN_KILLS));
    for (int i = 0; i < number; i++) {
      kills.add(
          new FlowFault.OnNodes(
              new Fault.KillServers(draw.share(0.05, 1), List.of(node()), draw.millis(50, 800))));
    }
    return kills;
  }

  /** One at a time, with all other nodes running and no other fault. */
  private List<FlowFault> killsAlone() {
    List<FlowFault> kills = new ArrayList<>();
    int number = Math.toIntExact(Math.max(1, faultPhase.dividedBy(BETWEEN_KILLS_ALONE)));
    for (int i = 0; i < number; i++) {
      double at = (i + random.nextDouble(0.4, 0.6)) / number;
      kills.add(
          new FlowFault.KillOnceAllWork(
              draw.share(at, at + 1e-6), i % FlowRunConfig.NODES, draw.millis(50, 500)));
    }
    return withAdded(kills);
  }

  private List<FlowFault> withAdded(List<FlowFault> own) {
    return Stream.concat(
            own.stream(), settings.added(seed).stream().<FlowFault>map(FlowFault.OnNodes::new))
        .sorted(Comparator.comparing(FlowFault::at))
        .toList();
  }

  private int node() {
    return random.nextInt(FlowRunConfig.NODES);
  }
}
