package io.convoke.bench.sync;

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
  public Report run(BenchSettings settings, Progress progress) throws Exception {
    try (Scratch scratch = Scratch.open("convoke-bench");
        House house = House.open(scratch.folder(), settings.meetings())) {
      progress.say("machine  " + Machine.ofThis().with(house.versions()).line());
      progress.say(settings.line());
      List<Table> tables = new ArrayList<>();
      List<Goal> goals = new ArrayList<>();
      for (String name : List.of(House.BARE, House.NAIVE, House.OURS)) {
        int connections = settings.connections().getFirst();
        for (int i = 0; i < WARM_UPS; i++) {
          Sample _ = polls(house, name, connections, settings.warmUp());
        }
      }
      for (int connections : settings.connections()) {
        Table table =
            new Table(
                "GET, " + connections + " conn.",
                Rounds.interleaved(
                    settings.rounds(),
                    List.of(House.BARE, House.NAIVE, House.OURS),
                    name -> name,
                    (name, _) -> polls(house, name, connections, settings.span())));
        tables.add(table);
        goals.addAll(pollGoals(table));
      }
      Table updates = updates(house, settings);
      tables.add(updates);
      goals.add(
          Goal.atLeast(
              "updates, ours / naive, " + CALLERS + " callers",
              updates.named(House.OURS).ratioTo(updates.named(House.NAIVE)),
              OF_NAIVE_POST));
      return new Report(
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

  private static List<Goal> pollGoals(Table table) {
    Series ours = table.named(House.OURS);
    return List.of(
        Goal.atLeast(
            "ours / naive, " + table.title(),
            ours.ratioTo(table.named(House.NAIVE)),
            OF_NAIVE_GET));
  }

  private static Sample polls(House house, String name, int connections, Duration span)
      throws Exception {
    Candidate candidate = house.candidate(name);
    Requests requests = house.wishes().polls(number(POLLS_A_SECOND_MAX, span), candidate.url());
    long before = house.hits();
    Sample sample = answered(name, candidate.drive(connections, requests, span));
    long hits = house.hits() - before;
    if (name.equals(House.OURS) && hits != sample.operations()) {
      throw new IllegalStateException(
          "of %d polls %d were answered from Redis".formatted(sample.operations(), hits));
    }
    return sample;
  }

  private static Table updates(House house, BenchSettings settings) throws Exception {
    List<String> both = List.of(House.NAIVE, House.OURS);
    for (String name : both) {
      for (int i = 0; i < WARM_UPS; i++) {
        Sample _ = updates(house, name, settings.warmUp(), -i);
      }
    }
    return new Table(
        "POST, " + CALLERS + " callers",
        Rounds.interleaved(
            settings.rounds(),
            both,
            name -> name,
            (name, round) -> updates(house, name, settings.span(), round)));
  }

  private static Sample updates(House house, String name, Duration span, long seed)
      throws Exception {
    Candidate candidate = house.candidate(name);
    Requests requests =
        house.wishes().updates(number(UPDATES_A_SECOND_MAX, span), candidate.url(), seed);
    long before = house.applied(name);
    Sample sample = answered(name, candidate.drive(CALLERS, requests, span));
    long applied = house.applied(name) - before;
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

  private static Sample answered(String name, Sample sample) {
    if (sample.failures() > 0) {
      throw new IllegalStateException(
          "%s answered %d requests with another status than 200"
              .formatted(name, sample.failures()));
    }
    return sample;
  }
}
