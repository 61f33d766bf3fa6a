package io.convoke.bench.webhooks;

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

/** Webhook ingest of the real server against a bare HTTP server and a naive handler. */
public final class WebhooksBenchmark implements Benchmark {
  private static final double OF_BARE = 0.75;
  private static final double OF_BARE_NEXT = 0.85;
  private static final double OF_NAIVE = 1.4;

  /** Of what ours can do: the load at which latencies are compared. */
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
    try (TempFolder tempFolder = TempFolder.open("convoke-bench");
        WebhooksTestEnvironment webhooksTestEnvironment =
            WebhooksTestEnvironment.start(tempFolder.folder(), settings.meetings())) {
      progress.report(
          "machine  "
              + MachineDescription.ofThis().with(webhooksTestEnvironment.versions()).line());
      progress.report(settings.line());
      SignedEvents events = webhooksTestEnvironment.events();
      for (ServerCandidate serverCandidate : webhooksTestEnvironment.candidates()) {
        warmUp(webhooksTestEnvironment, serverCandidate, settings);
      }
      List<RateTable> tables = new ArrayList<>();
      List<RateTable> paced = new ArrayList<>();
      for (int connections : settings.connections()) {
        List<CandidateSeries> series =
            InterleavedRounds.interleaved(
                settings.rounds(),
                webhooksTestEnvironment.candidates(),
                ServerCandidate::name,
                (serverCandidate, round) ->
                    turn(
                        webhooksTestEnvironment,
                        events,
                        serverCandidate,
                        connections,
                        settings.span()));
        RateTable busy = new RateTable(connections + " connections", series);
        tables.add(busy);
        paced.add(paced(webhooksTestEnvironment, events, connections, busy, settings));
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
   * Bare and ours under the same traffic, 70 % of what ours can do: the latency at that rate of one
   * or the other. The bare server has more to spare at it, so this is harder on ours than 70 % of
   * each one's own would be. The naive handler could not keep up.
   */
  private static RateTable paced(
      WebhooksTestEnvironment webhooksTestEnvironment,
      SignedEvents events,
      int connections,
      RateTable busy,
      BenchSettings settings)
      throws Exception {
    double rate = LOAD * busy.named(WebhooksTestEnvironment.OURS).median(MeasuredSample::perSecond);
    List<ServerCandidate> both =
        webhooksTestEnvironment.candidates().stream()
            .filter(it -> !it.name().equals(WebhooksTestEnvironment.NAIVE))
            .toList();
    return new RateTable(
        "%d at %.0f/s".formatted(connections, rate),
        InterleavedRounds.interleaved(
            settings.rounds(),
            both,
            ServerCandidate::name,
            (serverCandidate, round) -> {
              HttpRequestBytes httpRequestBytes =
                  events.build(
                      (int) (rate * settings.span().toMillis() / 1000), serverCandidate.url());
              MeasuredSample measuredSample =
                  serverCandidate.drive(connections, rate, httpRequestBytes, settings.span());
              return verified(webhooksTestEnvironment, serverCandidate, measuredSample);
            }));
  }

  private static List<MeasurementGoal> pacedGoals(List<RateTable> tables) {
    return tables.stream()
        .map(
            rateTable ->
                MeasurementGoal.atMost(
                    "p99 at 70 % load, ours / bare, " + rateTable.title(),
                    p99(rateTable.named(WebhooksTestEnvironment.OURS))
                        / p99(rateTable.named(WebhooksTestEnvironment.BARE)),
                    P99_OF_BARE))
        .toList();
  }

  private static double p99(CandidateSeries candidateSeries) {
    return candidateSeries.median(measuredSample -> measuredSample.p99().toNanos());
  }

  /** All was answered, ours left every flag, and nothing of it is there for the next turn. */
  private static MeasuredSample verified(
      WebhooksTestEnvironment webhooksTestEnvironment,
      ServerCandidate serverCandidate,
      MeasuredSample measuredSample) {
    if (measuredSample.failures() > 0) {
      throw new IllegalStateException(
          "%s answered %d of %d requests with another status than 200"
              .formatted(
                  serverCandidate.name(),
                  measuredSample.failures(),
                  measuredSample.failures() + measuredSample.operations()));
    }
    if (serverCandidate.name().equals(WebhooksTestEnvironment.OURS)
        && measuredSample.operations() > 2L * webhooksTestEnvironment.meetings()) {
      webhooksTestEnvironment.requireFlags();
    }
    webhooksTestEnvironment.sweep();
    return measuredSample;
  }

  private static void warmUp(
      WebhooksTestEnvironment webhooksTestEnvironment,
      ServerCandidate serverCandidate,
      BenchSettings settings)
      throws Exception {
    int connections = settings.connections().getFirst();
    Duration part = Duration.ofSeconds(2);
    for (Duration left = settings.warmUp(); left.isPositive(); left = left.minus(part)) {
      Duration span = left.compareTo(part) < 0 ? left : part;
      MeasuredSample _ =
          turn(
              webhooksTestEnvironment,
              webhooksTestEnvironment.events(),
              serverCandidate,
              connections,
              span);
    }
  }

  /** One turn; whatever is not right about it is a failure of the whole benchmark. */
  private static MeasuredSample turn(
      WebhooksTestEnvironment webhooksTestEnvironment,
      SignedEvents events,
      ServerCandidate serverCandidate,
      int connections,
      Duration span)
      throws Exception {
    int number = (int) (PER_SECOND_MAX * span.toMillis() / 1000);
    HttpRequestBytes httpRequestBytes = events.build(number, serverCandidate.url());
    MeasuredSample measuredSample = serverCandidate.drive(connections, httpRequestBytes, span);
    return verified(webhooksTestEnvironment, serverCandidate, measuredSample);
  }

  private static List<MeasurementGoal> goals(List<RateTable> tables) {
    List<MeasurementGoal> goals = new ArrayList<>();
    for (RateTable rateTable : tables) {
      CandidateSeries ours = rateTable.named(WebhooksTestEnvironment.OURS);
      goals.add(
          MeasurementGoal.atLeast(
                  "ours / bare, " + rateTable.title(),
                  ours.ratioTo(rateTable.named(WebhooksTestEnvironment.BARE)),
                  OF_BARE)
              .then(OF_BARE_NEXT));
      goals.add(
          MeasurementGoal.atLeast(
              "ours / naive, " + rateTable.title(),
              ours.ratioTo(rateTable.named(WebhooksTestEnvironment.NAIVE)),
              OF_NAIVE));
    }
    return goals;
  }
}
