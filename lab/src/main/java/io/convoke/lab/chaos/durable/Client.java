package io.convoke.lab.chaos.durable;

import io.convoke.lab.chaos.WrongClock;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.JavaProcess;
import io.convoke.lab.child.JavaProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The one outside who starts flows and tells them things, in a process that nobody harms. */
final class Client implements AutoCloseable {
  private static final String PROGRAM = "io.convoke.bench.chaos.FlowClient";
  private static final List<String> SMALL = List.of("-XX:TieredStopAtLevel=1", "-Xmx128m");

  private final Path report;
  private final JavaProcess process;

  private Client(Path report, JavaProcess process) {
    this.report = report;
    this.process = process;
  }

  /** Starts it and waits until it is about to begin. */
  static Client start(Plan plan, String url, Path folder, Guardian guardian) throws IOException {
    Path orders = folder.resolve("orders.txt");
    Path report = folder.resolve("acknowledged.txt");
    Path _ = Files.write(orders, plan.orders().stream().map(Client::line).toList());
    Map<String, String> environment = new HashMap<>(Map.of("DATABASE_URL", url));
    if (!plan.clientAhead().isZero()) {
      Optional<WrongClock> clock = WrongClock.in(folder.resolve("client.clock"));
      clock.ifPresent(it -> it.ahead(plan.clientAhead()));
      clock.ifPresent(it -> environment.putAll(it.environment()));
    }
    JavaProgram program =
        new JavaProgram(
            "client",
            PROGRAM,
            List.of(orders.toString(), report.toString()),
            environment,
            SMALL,
            folder.resolve("client.log"));
    return new Client(report, JavaProcess.start(program, guardian));
  }

  /** What was acknowledged: {@code start FLOW} or {@code tell FLOW NUMBER}. */
  Set<String> acknowledged() throws IOException {
    return Files.exists(report)
        ? Files.readAllLines(report).stream().collect(Collectors.toSet())
        : Set.of();
  }

  /** Those of one kind, without that word. */
  Set<String> acknowledged(String kind) throws IOException {
    return acknowledged().stream()
        .filter(line -> line.startsWith(kind + " "))
        .map(line -> line.substring(kind.length() + 1))
        .collect(Collectors.toSet());
  }

  /** Whether everything was. */
  boolean done() throws IOException {
    return acknowledged().contains("done");
  }

  @Override
  public void close() {
    process.close();
  }

  private static String line(Step step) {
    Duration at = step.at();
    return switch (step) {
      case Step.Start(Duration _, var flow, int times) ->
          "%d start %s %d".formatted(at.toMillis(), flow.text(), times);
      case Step.Tell(Duration _, var flow, int number) ->
          "%d tell %s %d".formatted(at.toMillis(), flow.id(), number);
      case Step.KillNode _,
          Step.PauseNode _,
          Step.CutConnections _,
          Step.CrashPostgres _,
          Step.DeafenNode _,
          Step.MoveClock _ ->
          throw new IllegalArgumentException(step + " is no order");
    };
  }
}
