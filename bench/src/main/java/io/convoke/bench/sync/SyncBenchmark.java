package io.convoke.bench.sync;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.Progress;
import io.convoke.bench.load.HttpRequestBytes;
import io.convoke.bench.load.ServerCandidate;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MachineDescription;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.MeasurementGoal;
import io.convoke.bench.report.RateTable;
import io.convoke.simulator.process.TempFolder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Polls and updates of sync status: ours beside a bare HTTP server and a first version. */
public final class SyncBenchmark implements Benchmark {
  private static final double OF_NAIVE_GET = 1;
  private static final double OF_NAIVE_POST = 4;
  private static final int CALLERS = 64;

  /** All are warmed up so often: after once the compiler is at work on those that do more. */
  private static final int WARM_UPS = 4;

  /** Above any rate of this generator; a turn that runs out of requests ends early. */
  private static final int POLLS_A_SECOND_MAX = 100_000;

  private static final int UPDATES_A_SECOND_MAX = 40_000;

  @Override
  public String name() {
    return "sync";
  }

  @Override
  public String summary() {
    return "sync status asked and told: the server beside a bare HTTP server and a naive one";
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    try (TempFolder tempFolder = TempFolder.open("convoke-bench");
        SyncTestEnvironment syncTestEnvironment =
            SyncTestEnvironment.open(tempFolder.folder(), settings.meetings())) {
      progress.report(
          "machine  " + MachineDescription.ofThis().with(syncTestEnvironment.versions()).line());
      progress.report(settings.line());
      List<RateTable> tables = new ArrayList<>();
      List<MeasurementGoal> goals = new ArrayList<>();
      for (String name :
          List.of(SyncTestEnvironment.BARE, SyncTestEnvironment.NAIVE, SyncTestEnvironment.OURS)) {
        int connections = settings.connections().getFirst();
        for (int i = 0; i < WARM_UPS; i++) {
          MeasuredSample _ = polls(syncTestEnvironment, name, connections, settings.warmUp());
        }
      }
      for (int connections : settings.connections()) {
        RateTable rateTable =
            new RateTable(
                "GET, " + connections + " conn.",
                InterleavedRounds.interleaved(
                    settings.rounds(),
                    List.of(
                        SyncTestEnvironment.BARE,
                        SyncTestEnvironment.NAIVE,
                        SyncTestEnvironment.OURS),
                    name -> name,
                    (name, _) -> polls(syncTestEnvironment, name, connections, settings.span())));
        tables.add(rateTable);
        goals.addAll(pollGoals(rateTable));
      }
      RateTable updates = updates(syncTestEnvironment, settings);
      tables.add(updates);
      goals.add(
          MeasurementGoal.atLeast(
              "updates, ours / naive, " + CALLERS + " callers",
              updates
                  .named(SyncTestEnvironment.OURS)
                  .ratioTo(updates.named(SyncTestEnvironment.NAIVE)),
              OF_NAIVE_POST));
      return new BenchmarkReport(
          name(),
          "%d meetings, asked with an API key, told with the internal token"
              .formatted(settings.meetings()),
          tables,
          List.of(),
          List.of(
              "every answer was 200; of polls the same headers and as many bytes from all three",
              "every poll of ours was answered from Redis",
              "every update is in a row that is committed, of ours and of naive"),
          goals,
          List.of());
    }
  }

  private static List<MeasurementGoal> pollGoals(RateTable rateTable) {
    CandidateSeries ours = rateTable.named(SyncTestEnvironment.OURS);
    return List.of(
        MeasurementGoal.atLeast(
            "ours / naive, " + rateTable.title(),
            ours.ratioTo(rateTable.named(SyncTestEnvironment.NAIVE)),
            OF_NAIVE_GET));
  }

  private static MeasuredSample polls(
      SyncTestEnvironment syncTestEnvironment, String name, int connections, Duration span)
      throws Exception {
    ServerCandidate serverCandidate = syncTestEnvironment.candidate(name);
    HttpRequestBytes httpRequestBytes =
        syncTestEnvironment.wishes().polls(number(POLLS_A_SECOND_MAX, span), serverCandidate.url());
    long before = syncTestEnvironment.hits();
    MeasuredSample measuredSample =
        answered(name, serverCandidate.drive(connections, httpRequestBytes, span));
    long hits = syncTestEnvironment.hits() - before;
    if (name.equals(SyncTestEnvironment.OURS) && hits != measuredSample.operations()) {
      throw new IllegalStateException(
          "of %d polls %d were answered from Redis".formatted(measuredSample.operations(), hits));
    }
    return measuredSample;
  }

  private static RateTable updates(SyncTestEnvironment syncTestEnvironment, BenchSettings settings)
      throws Exception {
    List<String> both = List.of(SyncTestEnvironment.NAIVE, SyncTestEnvironment.OURS);
    for (String name : both) {
      for (int i = 0; i < WARM_UPS; i++) {
        MeasuredSample _ = updates(syncTestEnvironment, name, settings.warmUp(), -i);
      }
    }
    return new RateTable(
        "POST, " + CALLERS + " callers",
        InterleavedRounds.interleaved(
            settings.rounds(),
            both,
            name -> name,
            (name, round) -> updates(syncTestEnvironment, name, settings.span(), round)));
  }

  private static MeasuredSample updates(
      SyncTestEnvironment syncTestEnvironment, String name, Duration span, long seed)
      throws Exception {
    ServerCandidate serverCandidate = syncTestEnvironment.candidate(name);
    HttpRequestBytes httpRequestBytes =
        syncTestEnvironment
            .wishes()
            .updates(number(UPDATES_A_SECOND_MAX, span), serverCandidate.url(), seed);
    long before = syncTestEnvironment.applied(name);
    MeasuredSample measuredSample =
        answered(name, serverCandidate.drive(CALLERS, httpRequestBytes, span));
    long applied = syncTestEnvironment.applied(name) - before;
    if (applied != measuredSample.operations()) {
      throw new IllegalStateException(
          "%s answered %d updates with 200 and applied %d"
              .formatted(name, measuredSample.operations(), applied));
    }
    return measuredSample;
  }

  private static int number(int perSecond, Duration span) {
    return (int) (perSecond * span.toMillis() / 1000);
  }

  private static MeasuredSample answered(String name, MeasuredSample measuredSample) {
    if (measuredSample.failures() > 0) {
      throw new IllegalStateException(
          "%s answered %d requests with another status than 200"
              .formatted(name, measuredSample.failures()));
    }
    return measuredSample;
  }
}
