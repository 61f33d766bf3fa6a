package io.convoke.bench.sync;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.Progress;
import io.convoke.bench.load.HttpRequestBytes;
import io.convoke.bench.load.ServerCandidate;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.MeasurementGoal;
import io.convoke.bench.report.RateTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Polls and updates of sync status: Convoke's server beside a bare HTTP server and a first version.
 */
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
    return "polls and updates of sync status: the server beside a bare HTTP server and a naive one";
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    try (BenchEnvironment environment = BenchEnvironment.open("-Xms512m", "-Xmx512m")) {
      progress.report(environment.machine());
      SyncServers servers = new SyncServers(environment, settings.meetings());
      progress.report(settings.line());
      List<RateTable> tables = new ArrayList<>();
      List<MeasurementGoal> goals = new ArrayList<>();
      for (String name : List.of(SyncServers.BARE, SyncServers.NAIVE, SyncServers.OURS)) {
        int connections = settings.connections().getFirst();
        for (int i = 0; i < WARM_UPS; i++) {
          MeasuredSample _ = polls(servers, name, connections, settings.warmUp());
        }
      }
      for (int connections : settings.connections()) {
        RateTable rateTable =
            new RateTable(
                "GET, " + connections + " conn.",
                InterleavedRounds.interleaved(
                    settings.rounds(),
                    List.of(SyncServers.BARE, SyncServers.NAIVE, SyncServers.OURS),
                    name -> name,
                    (name, _) -> polls(servers, name, connections, settings.span())));
        tables.add(rateTable);
        goals.addAll(pollGoals(rateTable));
      }
      RateTable updates = updates(servers, settings);
      tables.add(updates);
      goals.add(
          MeasurementGoal.atLeast(
              "updates, ours / naive, " + CALLERS + " callers",
              updates.named(SyncServers.OURS).ratioTo(updates.named(SyncServers.NAIVE)),
              OF_NAIVE_POST));
      return new BenchmarkReport(
          name(),
          "%d meetings, polled with an API key, updated with the internal token"
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
    CandidateSeries ours = rateTable.named(SyncServers.OURS);
    return List.of(
        MeasurementGoal.atLeast(
            "ours / naive, " + rateTable.title(),
            ours.ratioTo(rateTable.named(SyncServers.NAIVE)),
            OF_NAIVE_GET));
  }

  private static MeasuredSample polls(
      SyncServers servers, String name, int connections, Duration span) throws Exception {
    ServerCandidate candidate = servers.candidate(name);
    HttpRequestBytes requests =
        servers.requests().polls(number(POLLS_A_SECOND_MAX, span), candidate.url());
    long before = servers.hits();
    MeasuredSample sample = answered(name, candidate.drive(connections, requests, span));
    long hits = servers.hits() - before;
    if (name.equals(SyncServers.OURS) && hits != sample.operations()) {
      throw new IllegalStateException(
          "of %d polls %d were answered from Redis".formatted(sample.operations(), hits));
    }
    return sample;
  }

  private static RateTable updates(SyncServers servers, BenchSettings settings) throws Exception {
    List<String> both = List.of(SyncServers.NAIVE, SyncServers.OURS);
    for (String name : both) {
      for (int i = 0; i < WARM_UPS; i++) {
        MeasuredSample _ = updates(servers, name, settings.warmUp(), -i);
      }
    }
    return new RateTable(
        "POST, " + CALLERS + " callers",
        InterleavedRounds.interleaved(
            settings.rounds(),
            both,
            name -> name,
            (name, round) -> updates(servers, name, settings.span(), round)));
  }

  private static MeasuredSample updates(SyncServers servers, String name, Duration span, long seed)
      throws Exception {
    ServerCandidate candidate = servers.candidate(name);
    HttpRequestBytes requests =
        servers.requests().updates(number(UPDATES_A_SECOND_MAX, span), candidate.url(), seed);
    long before = servers.applied(name);
    MeasuredSample sample = answered(name, candidate.drive(CALLERS, requests, span));
    long applied = servers.applied(name) - before;
    if (applied != sample.operations()) {
      throw new IllegalStateException(
          "%s answered %d updates with 200 and applied %d"
              .formatted(name, sample.operations(), applied));
    }
    return sample;
  }

  private static int number(int perSecond, Duration span) {
    return (int) (perSecond * span.toMillis() / 1000);
  }

  private static MeasuredSample answered(String name, MeasuredSample sample) {
    if (sample.failures() > 0) {
      throw new IllegalStateException(
          "%s answered %d requests with another status than 200"
              .formatted(name, sample.failures()));
    }
    return sample;
  }
}
