package io.convoke.bench.dispatch;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.Rounds;
import io.convoke.bench.report.Counts;
import io.convoke.bench.report.Goal;
import io.convoke.bench.report.Machine;
import io.convoke.bench.report.Report;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.Scratch;
import io.convoke.lab.stores.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Dispatch beside BullMQ, Redisson's queues and a loop over Streams written by hand. */
public final class DispatchBenchmark implements Benchmark {
  @Override
  public String name() {
    return "dispatch";
  }

  @Override
  public String summary() {
    return "whole lives of tasks, latency, wakes and idle commands, beside BullMQ and others";
  }

  @Override
  public Report run(BenchSettings settings, Progress progress) throws Exception {
    boolean quick = settings.rounds() < 3;
    try (Scratch scratch = Scratch.open("convoke-bench");
        Guardian guardian = new Guardian()) {
      Path folder = scratch.folder();
      progress.say("machine  " + Machine.ofThis().line() + ", AOF everysec");
      Optional<BullMq> bullMq =
          quick ? BullMq.skipped(progress, "a quick slice") : BullMq.find(progress);
      Table lives;
      Table latency;
      Counts wakes;
      try (RedisServer server = RedisServer.start(folder.resolve("redis"), guardian)) {
        lives = lives(server.url(), bullMq, settings);
        progress.say("whole lives measured");
        server.flush();
        latency = Latencies.measure(server.url(), bullMq, settings);
        progress.say("latency measured");
        server.flush();
        wakes = ParkedPods.measure(server);
      }
      Counts idle = IdlePods.measure(folder, guardian, bullMq, settings);
      progress.say("idle pods measured");
      return new Report(
          name(),
          "tasks taken in, claimed and ended",
          List.of(lives, latency),
          List.of(wakes, idle),
          List.of(
              "every task that was taken in has ended, none was begun twice",
              "those of ours that were asked for ended SUCCESS"),
          goals(lives, latency, wakes, idle),
          List.of());
    }
  }

  private static Table lives(String url, Optional<BullMq> bullMq, BenchSettings settings)
      throws Exception {
    List<Line> lines = new ArrayList<>();
    try {
      lines.add(new StreamsLine(url));
      lines.add(new RedissonLine(url));
      if (bullMq.isPresent()) {
        lines.add(new BullMqLine(bullMq.get(), url));
      }
      lines.add(new ConvokeLine(url));
      for (Line line : lines) {
        // Twice: what a first turn compiles is not what a second one runs.
        Line.Lived _ = line.lives(settings.warmUp().dividedBy(2));
        Line.Lived _ = line.lives(settings.warmUp().dividedBy(2));
      }
      return new Table(
          "whole lives",
          Rounds.interleaved(
              settings.rounds(),
              lines,
              Line::name,
              (line, round) -> {
                Line.Lived lived = line.lives(settings.span());
                return new Sample(
                    lived.tasks(), 0, lived.span(), Duration.ZERO, Duration.ZERO, Duration.ZERO);
              }));
    } finally {
      lines.forEach(Line::close);
    }
  }

  private static List<Goal> goals(Table lives, Table latency, Counts wakes, Counts idle) {
    List<Goal> goals = new ArrayList<>();
    Series ours = lives.named(ConvokeLine.NAME);
    find(lives, BullMq.NAME)
        .ifPresent(
            peer -> goals.add(Goal.atLeast("lives against bullmq", ours.ratioTo(peer), 3).then(6)));
    goals.add(
        Goal.atLeast(
            "lives against streams by hand", ours.ratioTo(lives.named(StreamsLine.NAME)), 1.5));
    find(latency, BullMq.NAME)
        .ifPresent(
            peer ->
                goals.add(
                    Goal.atMost(
                        "idle latency p50, ours / bullmq",
                        p50(latency.named(ConvokeLine.NAME)) / p50(peer),
                        0.5)));
    goals.add(
        Goal.atMost("pods that one task wakes", wakes.rows().getFirst().values().getFirst(), 1));
    goals.add(
        Goal.atMost(
            "commands sent by an idle pod a second",
            idle.rows().getLast().values().getFirst(),
            0.1));
    return goals;
  }

  private static Optional<Series> find(Table table, String name) {
    return table.series().stream().filter(one -> one.candidate().equals(name)).findFirst();
  }

  private static double p50(Series series) {
    return series.median(sample -> sample.p50().toNanos() / 1e6);
  }
}
