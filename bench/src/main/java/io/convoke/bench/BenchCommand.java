package io.convoke.bench;

import io.convoke.bench.bots.BotsBenchmark;
import io.convoke.bench.dispatch.DispatchBenchmark;
import io.convoke.bench.durable.DurableBenchmark;
import io.convoke.bench.durable.GrowthBenchmark;
import io.convoke.bench.locks.LocksBenchmark;
import io.convoke.bench.presence.PresenceBenchmark;
import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.JsonReport;
import io.convoke.bench.report.MachineDescription;
import io.convoke.bench.report.RecordReport;
import io.convoke.bench.report.TextReport;
import io.convoke.bench.signals.LostSignalsBenchmark;
import io.convoke.bench.sync.SyncBenchmark;
import io.convoke.bench.webhooks.WebhooksBenchmark;
import io.convoke.chaos.results.Measurement;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Runs benchmarks by name. Exit codes: 0 measured, 1 not measurable, something that must never be,
 * or, with {@code --strict}, a goal missed, 2 wrong usage.
 */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measurements, as ratios against references of the same run.")
final class BenchCommand implements Callable<Integer> {
  private static final List<Benchmark> ALL =
      List.of(
          new WebhooksBenchmark(),
          new PresenceBenchmark(),
          new LostSignalsBenchmark(),
          new BotsBenchmark(),
          new DurableBenchmark(),
          new GrowthBenchmark(),
          new SyncBenchmark(),
          new LocksBenchmark(),
          new DispatchBenchmark());

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..*", paramLabel = "NAME", description = "benchmarks to run; default all")
  private List<String> names = List.of();

  @Option(names = "--list", description = "list the benchmarks and exit")
  private boolean list;

  @Option(names = "--quick", description = "a small slice without meaningful numbers, for CI")
  private boolean quick;

  @Option(names = "--rounds", paramLabel = "N", description = "turns of each candidate")
  private @Nullable Integer rounds;

  @Option(names = "--seconds", paramLabel = "S", description = "length of a turn")
  private @Nullable Double seconds;

  @Option(names = "--connections", paramLabel = "N", split = ",", description = "such as 16,128")
  private @Nullable List<Integer> connections;

  @Option(names = "--active", paramLabel = "N", description = "active meetings of presence")
  private @Nullable Integer active;

  @Option(
      names = "--interleavings",
      paramLabel = "N",
      description = "number of interleavings of lost-signals")
  private @Nullable Integer interleavings;

  @Option(names = "--seed", paramLabel = "S", description = "of the first interleaving")
  private @Nullable Long seed;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "write every round to this file as JSON")
  private @Nullable Path json;

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description = "write the run for docs/results, and its page")
  private @Nullable Path record;

  @Option(names = "--strict", description = "exit 1 when a goal is missed")
  private boolean strict;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      ALL.forEach(one -> out.printf("%-12s %s%n", one.name(), one.summary()));
      return 0;
    }
    require(record == null || !quick, "--quick has no results for --record");
    List<Benchmark> chosen = chosen();
    BenchSettings settings = settings();
    List<BenchmarkReport> reports = new ArrayList<>();
    for (Benchmark benchmark : chosen) {
      BenchmarkReport benchmarkReport =
          benchmark.run(
              settings,
              line -> {
                out.println(line);
                out.flush();
              });
      TextReport.print(benchmarkReport, out);
      reports.add(benchmarkReport);
    }
    if (json != null) {
      byte[] text = JsonReport.write(MachineDescription.ofThis(), reports);
      Path _ = Files.write(json, text);
    }
    if (record != null) {
      List<String> arguments = spec.commandLine().getParseResult().originalArgs();
      RecordReport.write(
          record, Measurement.command("bench", arguments), MachineDescription.ofThis(), reports);
    }
    boolean missed = reports.stream().anyMatch(benchmarkReport -> !benchmarkReport.goalsMet());
    boolean wrong = reports.stream().anyMatch(benchmarkReport -> !benchmarkReport.right());
    return wrong || (strict && missed) ? 1 : 0;
  }

  private List<Benchmark> chosen() {
    List<Benchmark> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          ALL.stream()
              .filter(one -> one.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new ParameterException(
                          spec.commandLine(),
                          "no benchmark '" + name + "'; --list shows the benchmarks")));
    }
    return names.isEmpty() ? ALL : chosen;
  }

  private BenchSettings settings() {
    BenchSettings settings = quick ? BenchSettings.QUICK : BenchSettings.FULL;
    if (rounds != null) {
      require(rounds > 0, "--rounds must be positive");
      settings = settings.withRounds(rounds);
    }
    if (seconds != null) {
      require(seconds > 0, "--seconds must be positive");
      settings = settings.withSpan(Duration.ofMillis(Math.round(seconds * 1000)));
    }
    if (connections != null) {
      require(
          connections.stream().allMatch(number -> number > 0 && number <= 4096),
          "--connections are from 1 to 4096");
      settings = settings.withConnections(connections);
    }
    if (active != null) {
      require(active >= 100 && active <= 1_000_000, "--active is from 100 to 1000000");
      settings = settings.withActive(active);
    }
    if (interleavings != null) {
      require(interleavings > 0, "--interleavings must be positive");
      settings = settings.withInterleavings(interleavings);
    }
    return seed == null ? settings : settings.withSeed(seed);
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }
}
