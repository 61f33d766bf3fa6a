package io.convoke.bench.durable;

import io.convoke.bench.report.Counts;
import io.convoke.bench.report.Goal;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What we want of the numbers. A peer that was skipped sets no goal. */
final class Goals {
  private final List<Goal> goals = new ArrayList<>();

  List<Goal> all() {
    return List.copyOf(goals);
  }

  Goals enqueue(Table table) {
    ratio("enqueue", table, DbScheduler.NAME, 5, 10);
    ratio("enqueue", table, JobRunrQueue.NAME, 5, 10);
    ratio("enqueue", table, DbosQueue.NAME, 5, 10);
    ratio("enqueue", table, PgBench.NAME, 2, 4);
    return this;
  }

  Goals work(Table table) {
    ratio("work", table, DbScheduler.NAME, 5, 10);
    ratio("work", table, "graphile-worker", 1.2, 3);
    return this;
  }

  Goals listeners(Table table) {
    goals.add(
        Goal.atLeast(
            "enqueue, listeners against none",
            table.named("convoke, 4 listen").ratioTo(table.named("convoke, none")),
            0.95));
    return this;
  }

  Goals latency(Table table) {
    Series ours = table.named(Convoke.NAME);
    goals.add(
        Goal.atMost(
            "idle latency to another process, p50 ms",
            ours.median(sample -> sample.p50().toNanos() / 1e6),
            1));
    goals.add(
        Goal.atMost(
            "idle latency to another process, p99 ms",
            ours.median(sample -> sample.p99().toNanos() / 1e6),
            3));
    return this;
  }

  Goals idle(Counts counts) {
    counts.rows().stream()
        .filter(row -> row.name().startsWith(Convoke.NAME))
        .forEach(
            row ->
                goals.add(
                    Goal.atMost(
                        "idle statements a second, " + row.name(), row.values().getFirst(), 0.05)));
    return this;
  }

  Goals held(Table table) {
    goals.add(
        Goal.atLeast(
            "throughput beside a held transaction",
            table.named(HeldTransaction.HELD).ratioTo(table.named(HeldTransaction.CLEAN)),
            0.9));
    return this;
  }

  Goals timers(Timers.Outcome outcome) {
    goals.add(Goal.atMost("lateness of timers, p99 ms", outcome.p99(), 5));
    goals.add(Goal.atMost("lateness of timers while up, worst ms", outcome.worst(), 50));
    return this;
  }

  private void ratio(String what, Table table, String peer, double wanted, double next) {
    Optional<Series> other =
        table.series().stream().filter(series -> series.candidate().equals(peer)).findFirst();
    if (other.isPresent() && other.get().median(Sample::perSecond) > 0) {
      goals.add(
          Goal.atLeast(
                  what + " against " + peer, table.named(Convoke.NAME).ratioTo(other.get()), wanted)
              .then(next));
    }
  }
}
