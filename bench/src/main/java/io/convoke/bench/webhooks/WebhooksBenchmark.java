package io.convoke.bench.webhooks;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Benchmark;
import io.convoke.bench.Progress;
import io.convoke.bench.Rounds;
import io.convoke.bench.load.Candidate;
import io.convoke.bench.load.Requests;
import io.convoke.bench.report.Goal;
import io.convoke.bench.report.Machine;
import io.convoke.bench.report.Report;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.lab.child.Scratch;
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
  public Report run(BenchSettings settings, Progress progress) throws Exception {
    try (Scratch scratch = Scratch.open("convoke-bench");
        Setup setup = Setup.start(scratch.folder(), settings.meetings())) {
      progress.say("machine  " + Machine.ofThis().with(setup.versions()).line());
      progress.say(settings.line());
      SignedEvents events = setup.events();
      for (Candidate candidate : setup.candidates()) {
        warmUp(setup, candidate, settings);
      }
      List<Table> tables = new ArrayList<>();
      List<Table> paced = new ArrayList<>();
      for (int connections : settings.connections()) {
        List<Series> series =
            Rounds.interleaved(
                settings.rounds(),
                setup.candidates(),
                Candidate::name,
                (candidate, round) -> turn(setup, events, candidate, connections, settings.span()));
        Table busy = new Table(connections + " connections", series);
        tables.add(busy);
        paced.add(paced(setup, events, connections, busy, settings));
      }
      List<Goal> goals = goals(tables);
      goals.addAll(pacedGoals(paced));
      tables.addAll(paced);
      return new Report(
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
  private static Table paced(
      Setup setup, SignedEvents events, int connections, Table busy, BenchSettings settings)
      throws Exception {
    double rate = LOAD * busy.named(Setup.OURS).median(Sample::perSecond);
    List<Candidate> both =
        setup.candidates().stream().filter(it -> !it.name().equals(Setup.NAIVE)).toList();
    return new Table(
        "%d at %.0f/s".formatted(connections, rate),
        Rounds.interleaved(
            settings.rounds(),
            both,
            Candidate::name,
            (candidate, round) -> {
              Requests requests =
                  events.build((int) (rate * settings.span().toMillis() / 1000), candidate.url());
              Sample sample = candidate.drive(connections, rate, requests, settings.span());
              return verified(setup, candidate, sample);
            }));
  }

  private static List<Goal> pacedGoals(List<Table> tables) {
    return tables.stream()
        .map(
            table ->
                Goal.atMost(
                    "p99 at 70 % load, ours / bare, " + table.title(),
                    p99(table.named(Setup.OURS)) / p99(table.named(Setup.BARE)),
                    P99_OF_BARE))
        .toList();
  }

  private static double p99(Series series) {
    return series.median(sample -> sample.p99().toNanos());
  }

  /** All was answered, ours left every flag, and nothing of it is there for the next turn. */
  private static Sample verified(Setup setup, Candidate candidate, Sample sample) {
    if (sample.failures() > 0) {
      throw new IllegalStateException(
          "%s answered %d of %d requests with another status than 200"
              .formatted(
                  candidate.name(), sample.failures(), sample.failures() + sample.operations()));
    }
    if (candidate.name().equals(Setup.OURS) && sample.operations() > 2L * setup.meetings()) {
      setup.requireFlags();
    }
    setup.sweep();
    return sample;
  }

  private static void warmUp(Setup setup, Candidate candidate, BenchSettings settings)
      throws Exception {
    int connections = settings.connections().getFirst();
    Duration part = Duration.ofSeconds(2);
    for (Duration left = settings.warmUp(); left.isPositive(); left = left.minus(part)) {
      Duration span = left.compareTo(part) < 0 ? left : part;
      Sample _ = turn(setup, setup.events(), candidate, connections, span);
    }
  }

  /** One turn; whatever is not right about it is a failure of the whole benchmark. */
  private static Sample turn(
      Setup setup, SignedEvents events, Candidate candidate, int connections, Duration span)
      throws Exception {
    int number = (int) (PER_SECOND_MAX * span.toMillis() / 1000);
    Requests requests = events.build(number, candidate.url());
    Sample sample = candidate.drive(connections, requests, span);
    return verified(setup, candidate, sample);
  }

  private static List<Goal> goals(List<Table> tables) {
    List<Goal> goals = new ArrayList<>();
    for (Table table : tables) {
      Series ours = table.named(Setup.OURS);
      goals.add(
          Goal.atLeast(
                  "ours / bare, " + table.title(), ours.ratioTo(table.named(Setup.BARE)), OF_BARE)
              .then(OF_BARE_NEXT));
      goals.add(
          Goal.atLeast(
              "ours / naive, " + table.title(), ours.ratioTo(table.named(Setup.NAIVE)), OF_NAIVE));
    }
    return goals;
  }
}
