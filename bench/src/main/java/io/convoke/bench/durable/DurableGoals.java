package io.convoke.bench.durable;

import io.convoke.bench.durable.WorkflowThroughput.WorkflowShape;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.MeasurementGoal;
import io.convoke.bench.report.RateTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Goals of the durable benchmark. A skipped candidate sets no goal. */
final class DurableGoals {
  private final List<MeasurementGoal> goals = new ArrayList<>();

  List<MeasurementGoal> all() {
    return List.copyOf(goals);
  }

  DurableGoals enqueue(RateTable rateTable) {
    ratio("enqueue", rateTable, DbSchedulerQueue.NAME, 5, 10);
    ratio("enqueue", rateTable, JobRunrQueue.NAME, 5, 10);
    ratio("enqueue", rateTable, DbosQueue.NAME, 5, 10);
    ratio("enqueue", rateTable, PgBench.NAME, 2, 4);
    return this;
  }

  DurableGoals work(RateTable rateTable) {
    ratio("work", rateTable, DbSchedulerQueue.NAME, 5, 10);
    ratio("work", rateTable, "graphile-worker", 1.2, 3);
    return this;
  }

  DurableGoals workflows(RateTable rateTable) {
    workflows(rateTable, WorkflowShape.NOTHING, WorkflowShape.NOTHING, 12, 20);
    workflows(rateTable, WorkflowShape.ONE_ACTIVITY, WorkflowShape.NOTHING, 4, 8);
    workflows(rateTable, WorkflowShape.FIVE_STEPS, WorkflowShape.FIVE_STEPS, 3, 6);
    workflows(rateTable, WorkflowShape.FIVE_ACTIVITIES, WorkflowShape.FIVE_STEPS, 2, 4);
    return this;
  }

  private void workflows(
      RateTable rateTable, WorkflowShape ours, WorkflowShape theirs, double wanted, double next) {
    CandidateSeries other = rateTable.named(WorkflowThroughput.name(DbosQueue.NAME, theirs));
    goals.add(
        MeasurementGoal.atLeast(
                "workflows, " + ours.shown + " against DBOS, " + theirs.shown,
                rateTable.named(WorkflowThroughput.name(ConvokeQueue.NAME, ours)).ratioTo(other),
                wanted)
            .then(next));
  }

  DurableGoals listeners(RateTable rateTable) {
    goals.add(
        MeasurementGoal.atLeast(
            "enqueue, listeners against none",
            rateTable.named("convoke, 4 listen").ratioTo(rateTable.named("convoke, none")),
            0.95));
    return this;
  }

  DurableGoals latency(RateTable rateTable) {
    CandidateSeries ours = rateTable.named(ConvokeQueue.NAME);
    goals.add(
        MeasurementGoal.atMost(
            "idle latency to another process, p50 ms",
            ours.median(measuredSample -> measuredSample.p50().toNanos() / 1e6),
            1));
    goals.add(
        MeasurementGoal.atMost(
            "idle latency to another process, p99 ms",
            ours.median(measuredSample -> measuredSample.p99().toNanos() / 1e6),
            3));
    return this;
  }

  DurableGoals idle(CountTable countTable) {
    countTable.rows().stream()
        .filter(countRow -> countRow.name().startsWith(ConvokeQueue.NAME))
        .forEach(
            countRow ->
                goals.add(
                    MeasurementGoal.atMost(
                        "idle statements a second, " + countRow.name(),
                        countRow.values().getFirst(),
                        0.05)));
    return this;
  }

  DurableGoals held(RateTable rateTable) {
    goals.add(
        MeasurementGoal.atLeast(
            "throughput beside a held transaction",
            rateTable
                .named(LongTransactionCost.HELD)
                .ratioTo(rateTable.named(LongTransactionCost.CLEAN)),
            0.9));
    return this;
  }

  DurableGoals timers(TimerLateness.TimerLatenessResult timerLatenessResult) {
    goals.add(MeasurementGoal.atMost("lateness of timers, p99 ms", timerLatenessResult.p99(), 5));
    goals.add(
        MeasurementGoal.atMost(
            "lateness of timers while up, worst ms", timerLatenessResult.worst(), 50));
    return this;
  }

  private void ratio(String what, RateTable rateTable, String peer, double wanted, double next) {
    Optional<CandidateSeries> other =
        rateTable.series().stream()
            .filter(candidateSeries -> candidateSeries.candidate().equals(peer))
            .findFirst();
    if (other.isPresent() && other.get().median(MeasuredSample::perSecond) > 0) {
      goals.add(
          MeasurementGoal.atLeast(
                  what + " against " + peer,
                  rateTable.named(ConvokeQueue.NAME).ratioTo(other.get()),
                  wanted)
              .then(next));
    }
  }
}
