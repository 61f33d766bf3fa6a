package io.convoke.chaos;

import io.convoke.chaos.bots.BotChaos;
import io.convoke.chaos.dispatch.DispatchChaos;
import io.convoke.chaos.durable.DurableChaos;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.mutants.Mutant;
import io.convoke.chaos.mutants.MutantList;
import io.convoke.chaos.presence.PresenceChaos;
import io.convoke.chaos.recordings.RecordingChaos;
import io.convoke.chaos.results.Measurement;
import io.convoke.chaos.rooms.RoomChaos;
import io.convoke.chaos.sync.SyncChaos;
import io.convoke.chaos.webhooks.WebhookChaos;
import io.convoke.simulator.Program;
import io.convoke.simulator.process.ReleaseRotation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Runs chaos scenarios against real servers. Exit codes: 0 all histories pass, 1 a history has
 * violations, 2 wrong usage, no Docker engine or no right to mount.
 */
@Command(
    name = "chaos",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Real processes, seeded faults, a history checker.")
public final class ChaosCommand implements Callable<Integer> {

  public static void main(String[] args) {
    Program.run(new ChaosCommand(), args);
  }

  private static final List<ChaosScenario> ALL =
      List.of(
          new PresenceChaos(),
          new BotChaos(),
          new DurableChaos(),
          new SyncChaos(),
          new RecordingChaos(),
          new DispatchChaos(),
          new WebhookChaos(),
          new RoomChaos());
  private static final int SHOWN = 10;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..*", paramLabel = "NAME", description = "scenarios to run; default all")
  private List<String> names = List.of();

  @Option(names = "--list", description = "list the scenarios and exit")
  private boolean list;

  @Option(names = "--seed", description = "of the first run (${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(names = "--runs", description = "runs, each with the next seed (${DEFAULT-VALUE})")
  private int runs = 1;

  @Option(names = "--servers", description = "server processes, 1 to 4; default 2, dispatch: 3")
  private @Nullable Integer servers;

  @Option(names = "--seconds", description = "duration of the faults; default 12, of rooms 48")
  private @Nullable Integer seconds;

  @Option(
      names = "--redis",
      description = "stop and empty Redis too; bots, recordings, dispatch always")
  private boolean redis;

  @Option(names = "--docker", description = "bots as containers of a real engine; bots only")
  private boolean docker;

  @Option(
      names = "--fault",
      paramLabel = "FAULT",
      converter = AddedFaultConverter.class,
      description =
          "adds a fault to the plan of each scenario; repeatable: slow-redis, slow-postgres,"
              + " silent-redis, silent-postgres, lost-writes, full-disk (needs the right to mount),"
              + " failover (of Postgres), stalled-streams")
  private List<AddedFault> added = List.of();

  @Option(
      names = "--bot",
      paramLabel = "COMMAND",
      description = "a bot for simulated rooms instead of the reference bot; bots only")
  private @Nullable String bot;

  @Option(names = "--quick", description = "one server and half the duration")
  private boolean quick;

  @Option(
      names = "--previous",
      paramLabel = "FOLDER",
      description =
          "built checkout of an earlier release: servers, nodes and pods take turns between the"
              + " two")
  private @Nullable Path previous;

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description = "write a summary for docs/results, and its page")
  private @Nullable Path record;

  @Option(
      names = "--mutants",
      description =
          "run against broken copies of the product, which must be found; NAME is a scenario or"
              + " SCENARIO/MUTANT")
  private boolean mutants;

  private final List<ChaosRecord> records = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      ALL.forEach(one -> out.printf("%-12s %s%n", one.name(), one.summary()));
      return 0;
    }
    if (mutants) {
      Path home = MutantList.home();
      return new MutantRuns(home, ALL, line -> print(out, line)).allFound(mutants(home)) ? 0 : 1;
    }
    List<ChaosScenario> chosen = chosen();
    checkOptions();
    boolean good = true;
    begin(previous);
    try {
      for (ChaosScenario scenario : chosen) {
        good &= run(scenario, settings(scenario), out);
      }
    } catch (MissingPrerequisite e) {
      print(out, "*** NOTHING RAN: " + e.getMessage());
      return 2;
    }
    if (record != null) {
      Measurement.record(
          record,
          "Chaos: " + String.join(", ", records.stream().map(ChaosRecord::scenario).toList()),
          Measurement.command("chaos", spec.commandLine().getParseResult().originalArgs()),
          Runtime.getRuntime().availableProcessors() + " cores",
          records.stream().map(ChaosRecord::table).toList(),
          List.of());
    }
    return good ? 0 : 1;
  }

  private void begin(@Nullable Path earlier) {
    if (earlier != null) {
      try {
        ReleaseRotation.with(earlier);
      } catch (IllegalArgumentException e) {
        throw usage("--previous: " + e.getMessage());
      }
    }
  }

  private boolean run(ChaosScenario scenario, ChaosSettings settings, PrintWriter out)
      throws Exception {
    int wrong = 0;
    List<RunReport> verdicts = new ArrayList<>();
    List<TimedGoal> timed = List.of();
    try (ChaosEnvironment environment = ChaosEnvironment.open(settings.added())) {
      for (long next = seed; next < seed + runs; next++) {
        int before = environment.guardian().killed();
        RunReport report = torment(scenario, next, settings, environment, out);
        print(
            out,
            "  %d programs ended by kill -9".formatted(environment.guardian().killed() - before));
        report.remarks().forEach(note -> print(out, "  " + note));
        report.timed().forEach(one -> print(out, "  " + one.line()));
        verdicts.add(report);
        timed = TimedGoal.together(timed, report.timed());
        print(out, scenario.name() + " " + report.line());
        if (!report.good()) {
          wrong++;
          environment.keep();
          explain(scenario, settings, report, out);
        }
      }
    }
    ReleaseRotation.starts()
        .ifPresent(
            starts ->
                print(
                    out,
                    "  %d programs began in the earlier release, %d in this one"
                        .formatted(starts.previous(), starts.current())));
    records.add(new ChaosRecord(scenario.name(), verdicts, timed));
    if (runs > 1) {
      print(out, "%s: %d runs, %d wrong".formatted(scenario.name(), runs, wrong));
      timed.forEach(one -> print(out, "  " + one.line()));
    }
    return wrong == 0 && timed.stream().allMatch(TimedGoal::kept);
  }

  /** One run; keeps the logs also when the run itself fails. */
  private static RunReport torment(
      ChaosScenario scenario,
      long seed,
      ChaosSettings settings,
      ChaosEnvironment environment,
      PrintWriter out)
      throws Exception {
    boolean made = false;
    try {
      RunReport report = scenario.run(seed, settings, environment, line -> print(out, line));
      made = true;
      return report;
    } finally {
      if (!made) {
        environment.keep();
      }
    }
  }

  private void explain(
      ChaosScenario scenario, ChaosSettings settings, RunReport report, PrintWriter out) {
    List<RuleViolation> findings = report.findings();
    report.coverage().missed().forEach(floor -> print(out, "  too little was seen: " + floor));
    findings.stream()
        .limit(SHOWN)
        .forEach(
            violation ->
                print(
                    out,
                    "  "
                        + violation.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                        + " ("
                        + violation.rule()
                        + "): "
                        + violation.text()));
    if (findings.size() > SHOWN) {
      print(out, "  and " + (findings.size() - SHOWN) + " more");
    }
    print(
        out,
        "  again: ./convoke chaos "
            + scenario.name()
            + " --seed "
            + report.seed()
            + settings.options()
            + (previous == null ? "" : " --previous " + previous));
    print(out, "  logs:  " + report.logs());
  }

  private List<Mutant> mutants(Path home) throws IOException {
    List<Mutant> all = MutantList.read(home.resolve("chaos/src/mutants"));
    for (String name : names) {
      if (all.stream().noneMatch(one -> one.scenario().equals(name) || one.label().equals(name))) {
        throw usage("no mutant '" + name + "'");
      }
    }
    return all.stream()
        .filter(
            one -> names.isEmpty() || names.contains(one.scenario()) || names.contains(one.label()))
        .toList();
  }

  private List<ChaosScenario> chosen() {
    List<ChaosScenario> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          ALL.stream()
              .filter(one -> one.name().equals(name))
              .findFirst()
              .orElseThrow(() -> usage("no scenario '" + name + "'; --list shows the scenarios")));
    }
    if (docker && !names.equals(List.of("bots"))) {
      throw usage("--docker is only for bots");
    }
    if (bot != null && (docker || !names.equals(List.of("bots")))) {
      throw usage("--bot is only for bots, and without --docker");
    }
    return names.isEmpty() ? ALL : chosen;
  }

  private void checkOptions() {
    if (!added.isEmpty() && chosen().stream().anyMatch(one -> !one.takesFaults())) {
      throw usage("--fault is not for rooms, whose faults hit what people speak through");
    }
    if (runs < 1) {
      throw usage("--runs must be positive");
    }
    if (servers != null && (servers < 1 || servers > 4)) {
      throw usage("--servers is from 1 to 4");
    }
    if (seconds != null && seconds < 3) {
      throw usage("--seconds is at least 3");
    }
  }

  private ChaosSettings settings(ChaosScenario scenario) {
    ChaosSettings settings = quick ? ChaosSettings.QUICK : scenario.usual();
    if (servers != null) {
      settings = settings.withServers(servers);
    }
    if (seconds != null) {
      settings = settings.withStorm(Duration.ofSeconds(seconds));
    }
    return settings
        .withRedis(redis)
        .withDocker(docker)
        .withBot(Optional.ofNullable(bot))
        .withAdded(Set.copyOf(added));
  }

  /** A fault by its name on the command line. */
  static final class AddedFaultConverter implements ITypeConverter<AddedFault> {
    @Override
    public AddedFault convert(String value) {
      return Stream.of(AddedFault.values())
          .filter(fault -> fault.label().equals(value))
          .findFirst()
          .orElseThrow(() -> new TypeConversionException("no fault '" + value + "'"));
    }
  }

  private ParameterException usage(String text) {
    return new ParameterException(spec.commandLine(), text);
  }

  private static void print(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }
}
