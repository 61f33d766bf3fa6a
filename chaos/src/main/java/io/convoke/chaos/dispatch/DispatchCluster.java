package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.FakeClock;
import io.convoke.chaos.FaultTargets;
import io.convoke.chaos.ServerCluster;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.ReleaseRotation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The servers and pods of one run, on a fresh database and Redis; faults of its own hit pods. */
final class DispatchCluster implements AutoCloseable, FaultTargets {
  /** Runs programs alone; an earlier release has no other. */
  private static final String POD = "io.convoke.agent.ReferencePod";

  /** JVM options for fast startup and low memory, since nine processes must fit. */
  private static final List<String> SMALL =
      List.of("-XX:TieredStopAtLevel=1", "-Xmx160m", "-Xss512k");

  private final ChaosEnvironment environment;
  private final DispatchPlan plan;
  private final Path folder;
  private final TaskObservations observations;
  private final ServerCluster servers;
  private final List<ChaosProgram> pods = new ArrayList<>();

  DispatchCluster(
      ChaosEnvironment environment, DispatchPlan plan, Path folder, TaskObservations observations) {
    this.environment = environment;
    this.plan = plan;
    this.folder = folder;
    this.observations = observations;
    this.servers =
        new ServerCluster(
            environment,
            folder,
            plan.servers(),
            new ServerCluster.ServerOptions(SMALL, true, plan.clocks()));
  }

  /** Starts all and waits until all are ready. */
  void start() {
    Map<String, String> settings = DispatchRunConfig.settings(plan.seed());
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    servers.start("api,dispatch", settings);
    for (int i = 0; i < plan.pods(); i++) {
      pods.add(pod(i));
    }
    pods.forEach(ChaosProgram::awaitReady);
  }

  ServerCluster servers() {
    return servers;
  }

  /** The pods. */
  @Override
  public List<ChaosProgram> programs() {
    return pods;
  }

  @Override
  public StalledClients stall(int number) {
    return servers.stall(number);
  }

  /** Servers and pods. */
  List<ChaosProgram> all() {
    return Stream.concat(servers.programs().stream(), pods.stream()).toList();
  }

  @Override
  public void close() {
    pods.forEach(ChaosProgram::close);
    servers.close();
  }

  private ChaosProgram pod(int number) {
    String name = "pod-" + number;
    Map<String, String> settings = DispatchRunConfig.settings(plan.seed());
    settings.putAll(servers.stores());
    settings.put("LAB_NOTES", observations.notes().toString());
    List<String> arguments = new ArrayList<>();
    boolean typed = DispatchRunConfig.typed(plan.seed());
    boolean handles = typed && ReleaseRotation.starts().isEmpty();
    if (typed) {
      List<String> types =
          DispatchPlanner.TYPES.stream()
              .filter(type -> !handles || !type.equals(HandlerPod.TYPE))
              .toList();
      arguments.addAll(List.of("--types", String.join(",", types)));
    }
    arguments.addAll(
        List.of(
            "--region",
            DispatchRunConfig.REGIONS.get(number % DispatchRunConfig.REGIONS.size()),
            "--slots",
            Integer.toString(DispatchRunConfig.SLOTS),
            "--drain",
            DispatchRunConfig.DRAIN.toSeconds() + "s",
            "--grace",
            DispatchRunConfig.GRACE.toSeconds() + "s",
            "--exec",
            observations.command()));
    JavaProgramSpec program =
        new JavaProgramSpec(
                name,
                handles ? HandlerPod.class.getName() : POD,
                arguments,
                settings,
                SMALL,
                folder.resolve(name + ".log"))
            .inEitherRelease();
    return new ChaosProgram(
        life -> program.withEnvironment(named(settings, name + "." + life)),
        environment.guardian(),
        Set.of("CONVOKE_REDIS_URL"),
        FakeClock.shifted(folder, name, plan.clocks().getOrDefault(name, Duration.ZERO)));
  }

  /** With the name of the process, which its programs log. */
  private static Map<String, String> named(Map<String, String> settings, String process) {
    Map<String, String> named = new HashMap<>(settings);
    named.put("LAB_LIFE", process);
    return named;
  }
}
