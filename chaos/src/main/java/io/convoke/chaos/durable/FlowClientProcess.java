package io.convoke.chaos.durable;

import io.convoke.chaos.FakeClock;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The client that starts flows and raises events, in a process without faults. */
final class FlowClientProcess implements AutoCloseable {
  private static final String PROGRAM = "io.convoke.chaos.flows.FlowClient";
  private static final List<String> SMALL = List.of("-XX:TieredStopAtLevel=1", "-Xmx128m");

  private final Path report;
  private final JavaProcess process;

  private FlowClientProcess(Path report, JavaProcess process) {
    this.report = report;
    this.process = process;
  }

  /** Starts it and waits until it is ready. */
  static FlowClientProcess start(
      String name, FlowPlan plan, String url, Path folder, OrphanReaper reaper) throws IOException {
    Path orders = folder.resolve(name + "-orders.txt");
    Path report = folder.resolve(name + "-acknowledged.txt");
    Path _ = Files.write(orders, plan.orders().stream().map(FlowOrder::line).toList());
    Map<String, String> environment = new HashMap<>(Map.of("DATABASE_URL", url));
    FakeClock.shifted(folder, name, plan.clientAhead())
        .ifPresent(clock -> environment.putAll(clock.environment()));
    JavaProgramSpec program =
        new JavaProgramSpec(
            name,
            PROGRAM,
            List.of(orders.toString(), report.toString()),
            environment,
            SMALL,
            folder.resolve(name + ".log"));
    return new FlowClientProcess(report, JavaProcess.start(program, reaper));
  }

  /** Acknowledged commands: {@code start FLOW}, {@code tell FLOW NUMBER}, and what it was shown. */
  Set<String> acknowledged() throws IOException {
    return Files.exists(report)
        ? Files.readAllLines(report).stream().collect(Collectors.toSet())
        : Set.of();
  }

  /** Acknowledged commands of one kind, without the keyword. */
  Set<String> acknowledged(String kind) throws IOException {
    return acknowledged().stream()
        .filter(line -> line.startsWith(kind + " "))
        .map(line -> line.substring(kind.length() + 1))
        .collect(Collectors.toSet());
  }

  /** Whether every command was acknowledged. */
  boolean done() throws IOException {
    return acknowledged().contains("done");
  }

  @Override
  public void close() {
    process.close();
  }
}
