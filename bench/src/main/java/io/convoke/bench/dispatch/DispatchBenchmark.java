package io.convoke.bench.dispatch;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.Progress;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.MachineDescription;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.MeasurementGoal;
import io.convoke.bench.report.RateTable;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.TempFolder;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.nio.file.Path;
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
    return "whole lifecycles of tasks, latency, wakes and idle commands, beside BullMQ and others";
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    boolean quick = settings.rounds() < 3;
    try (TempFolder tempFolder = TempFolder.open("convoke-bench");
        OrphanReaper orphanReaper = new OrphanReaper()) {
      Path folder = tempFolder.folder();
      progress.report("machine  " + MachineDescription.ofThis().line() + ", AOF everysec");
      Optional<BullMqScripts> bullMq =
          quick ? BullMqScripts.skipped(progress, "a quick slice") : BullMqScripts.find(progress);
      RateTable lives;
      RateTable latency;
      CountTable wakes;
      try (EmbeddedRedis server = EmbeddedRedis.start(folder.resolve("redis"), orphanReaper)) {
        lives = lives(server.url(), bullMq, settings);
        progress.report("whole lives measured");
        server.flush();
        latency = DispatchLatency.measure(server.url(), bullMq, settings);
        progress.report("latency measured");
        server.flush();
        wakes = WaitingPodCost.measure(server);
      }
      CountTable idle = IdlePodCost.measure(folder, orphanReaper, bullMq, settings);
      progress.report("idle pods measured");
      return new BenchmarkReport(
          name(),
          "tasks taken in, claimed and ended",
          List.of(lives, latency),
          List.of(wakes, idle),
          List.of(
              "every task that was taken in has ended, none was begun twice",
              "the sampled tasks of ours ended SUCCESS"),
          goals(lives, latency, wakes, idle),
          List.of());
    }
  }

  private static RateTable lives(String url, Optional<BullMqScripts> bullMq, BenchSettings settings)
      throws Exception {
    List<DispatchCandidate> lines = new ArrayList<>();
    try {
      lines.add(new RedisStreamsCandidate(url));
      lines.add(new RedissonCandidate(url));
      if (bullMq.isPresent()) {
        lines.add(new BullMqCandidate(bullMq.get(), url));
      }
      lines.add(new ConvokeDispatchCandidate(url));
      for (DispatchCandidate dispatchCandidate : lines) {
        // Twice, because the compiler optimises further after the first turn.
        DispatchCandidate.DispatchTurn _ =
            dispatchCandidate.runTasks(settings.warmUp().dividedBy(2));
        DispatchCandidate.DispatchTurn _ =
            dispatchCandidate.runTasks(settings.warmUp().dividedBy(2));
      }
      return new RateTable(
          "whole lives",
          InterleavedRounds.interleaved(
              settings.rounds(),
              lines,
              DispatchCandidate::name,
              (dispatchCandidate, round) -> {
                DispatchCandidate.DispatchTurn dispatchTurn =
                    dispatchCandidate.runTasks(settings.span());
                return new MeasuredSample(dispatchTurn.tasks(), 0, dispatchTurn.span());
              }));
    } finally {
      lines.forEach(DispatchCandidate::close);
    }
  }

  private static List<MeasurementGoal> goals(
      RateTable lives, RateTable latency, CountTable wakes, CountTable idle) {
    List<MeasurementGoal> goals = new ArrayList<>();
    CandidateSeries ours = lives.named(ConvokeDispatchCandidate.NAME);
    find(lives, BullMqScripts.NAME)
        .ifPresent(
            peer ->
                goals.add(
                    MeasurementGoal.atLeast("lives against bullmq", ours.ratioTo(peer), 3)
                        .then(6)));
    goals.add(
        MeasurementGoal.atLeast(
            "lives against streams by hand",
            ours.ratioTo(lives.named(RedisStreamsCandidate.NAME)),
            1.5));
    find(latency, BullMqScripts.NAME)
        .ifPresent(
            peer ->
                goals.add(
                    MeasurementGoal.atMost(
                        "idle latency p50, ours / bullmq",
                        p50(latency.named(ConvokeDispatchCandidate.NAME)) / p50(peer),
                        0.5)));
    goals.add(
        MeasurementGoal.atMost(
            "pods that one task wakes", wakes.rows().getFirst().values().getFirst(), 1));
    goals.add(
        MeasurementGoal.atMost(
            "commands sent by an idle pod a second",
            idle.rows().getLast().values().getFirst(),
            0.1));
    return goals;
  }

  private static Optional<CandidateSeries> find(RateTable rateTable, String name) {
    return rateTable.series().stream().filter(one -> one.candidate().equals(name)).findFirst();
  }

  private static double p50(CandidateSeries candidateSeries) {
    return candidateSeries.median(measuredSample -> measuredSample.p50().toNanos() / 1e6);
  }
}
