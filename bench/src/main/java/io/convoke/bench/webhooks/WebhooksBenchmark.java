package io.convoke.bench.webhooks;

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

/** Webhook ingest of the real server against a bare HTTP server and a naive handler. */
public final class WebhooksBenchmark implements Benchmark {
  private static final double OF_BARE = 0.75;
  private static final double OF_BARE_NEXT = 0.85;
  private static final double OF_NAIVE = 1.4;

  /** Share of Convoke's throughput: the load at which latencies are compared. */
  private static final double LOAD = 0.7;

  private static final double P99_OF_BARE = 1.3;

  /** Above any rate of this generator; a turn that runs out of requests ends early. */
  private static final int PER_SECOND_MAX = 60_000;

  @Override
  public String name() {
    return "webhooks";
  }

  @Override
  public String summary() {
    return "signed webhooks to 200: the server beside a bare HTTP server and a naive handler";
  }

  @Override
  public BenchmarkReport run(BenchSettings settings, Progress progress) throws Exception {
    try (BenchEnvironment environment = BenchEnvironment.open("-Xms512m", "-Xmx512m")) {
      progress.report(environment.machine());
      WebhookServers servers = new WebhookServers(environment, settings.meetings());
      progress.report(settings.line());
      SignedEvents events = servers.events();
      for (ServerCandidate candidate : servers.candidates()) {
        warmUp(servers, candidate, settings);
      }
      List<RateTable> tables = new ArrayList<>();
      List<RateTable> paced = new ArrayList<>();
      for (int connections : settings.connections()) {
        List<CandidateSeries> series =
            InterleavedRounds.interleaved(
                settings.rounds(),
                servers.candidates(),
                ServerCandidate::name,
                (candidate, round) ->
                    turn(servers, events, candidate, connections, settings.span()));
        RateTable busy = new RateTable(connections + " connections", series);
        tables.add(busy);
        paced.add(paced(servers, events, connections, busy, settings));
      }
      List<MeasurementGoal> goals = goals(tables);
      goals.addAll(pacedGoals(paced));
      tables.addAll(paced);
      return new BenchmarkReport(
          name(),
          "one signed participant.joined, answered 200; %d tracked meetings"
              .formatted(settings.meetings()),
          tables,
          List.of(),
          List.of(
              "every answer was 200",
              "after each turn of ours the flags of all %d meetings stood in Redis"
                  .formatted(settings.meetings())),
          goals,
          List.of());
    }
  }

  /**
   * Bare and Convoke under the same traffic, 70 % of Convoke's throughput: the latencies at that
   * rate. The bare server has more headroom there, so this is harder on Convoke than 70 % of each
   * one's own throughput. The naive handler could not keep up.
   */
  private static RateTable paced(
      WebhookServers servers,
      SignedEvents events,
      int connections,
      RateTable busy,
      BenchSettings settings)
      throws Exception {
    double rate = LOAD * busy.named(WebhookServers.OURS).median(MeasuredSample::perSecond);
    List<ServerCandidate> both =
        servers.candidates().stream()
            .filter(it -> !it.name().equals(WebhookServers.NAIVE))
            .toList();
    return new RateTable(
        "%d at %.0f/s".formatted(connections, rate),
        InterleavedRounds.interleaved(
            settings.rounds(),
            both,
            ServerCandidate::name,
            (candidate, round) -> {
              HttpRequestBytes requests =
                  events.build((int) (rate * settings.span().toMillis() / 1000), candidate.url());
              MeasuredSample sample = candidate.drive(connections, rate, requests, settings.span());
              return verified(servers, candidate, sample);
            }));
  }

  private static List<MeasurementGoal> pacedGoals(List<RateTable> tables) {
    return tables.stream()
        .map(
            rateTable ->
                MeasurementGoal.atMost(
                    "p99 at 70 % load, ours / bare, " + rateTable.title(),
                    p99(rateTable.named(WebhookServers.OURS))
                        / p99(rateTable.named(WebhookServers.BARE)),
                    P99_OF_BARE))
        .toList();
  }

  private static double p99(CandidateSeries candidateSeries) {
    return candidateSeries.median(sample -> sample.p99().toNanos());
  }

  /**
   * Checks that all requests succeeded and Convoke set every flag, then cleans up for the next
   * turn.
   */
  private static MeasuredSample verified(
      WebhookServers servers, ServerCandidate candidate, MeasuredSample sample) {
    if (sample.failures() > 0) {
      throw new IllegalStateException(
          "%s answered %d of %d requests with another status than 200"
              .formatted(
                  candidate.name(), sample.failures(), sample.failures() + sample.operations()));
    }
    if (candidate.name().equals(WebhookServers.OURS)
        && sample.operations() > 2L * servers.meetings()) {
      servers.requireFlags();
    }
    servers.sweep();
    return sample;
  }

  private static void warmUp(
      WebhookServers servers, ServerCandidate candidate, BenchSettings settings) throws Exception {
    int connections = settings.connections().getFirst();
    Duration part = Duration.ofSeconds(2);
    for (Duration left = settings.warmUp(); left.isPositive(); left = left.minus(part)) {
      Duration span = left.compareTo(part) < 0 ? left : part;
      MeasuredSample _ = turn(servers, servers.events(), candidate, connections, span);
    }
  }

  /** One turn; whatever is not right about it is a failure of the whole benchmark. */
  private static MeasuredSample turn(
      WebhookServers servers,
      SignedEvents events,
      ServerCandidate candidate,
      int connections,
      Duration span)
      throws Exception {
    int number = (int) (PER_SECOND_MAX * span.toMillis() / 1000);
    HttpRequestBytes requests = events.build(number, candidate.url());
    MeasuredSample sample = candidate.drive(connections, requests, span);
    return verified(servers, candidate, sample);
  }

  private static List<MeasurementGoal> goals(List<RateTable> tables) {
    List<MeasurementGoal> goals = new ArrayList<>();
    for (RateTable rateTable : tables) {
      CandidateSeries ours = rateTable.named(WebhookServers.OURS);
      goals.add(
          MeasurementGoal.atLeast(
                  "ours / bare, " + rateTable.title(),
                  ours.ratioTo(rateTable.named(WebhookServers.BARE)),
                  OF_BARE)
              .then(OF_BARE_NEXT));
      goals.add(
          MeasurementGoal.atLeast(
              "ours / naive, " + rateTable.title(),
              ours.ratioTo(rateTable.named(WebhookServers.NAIVE)),
              OF_NAIVE));
    }
    return goals;
  }
}
