package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ServerCluster;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.JavaProgramSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The servers and pods of one run, on a fresh database and Redis. */
final class DispatchCluster implements AutoCloseable {
  private static final String SERVER = "io.convoke.server.Main";
  private static final String POD = "io.convoke.agent.ReferencePod";

  /** JVM options for fast startup and low memory, since nine processes must fit. */
  private static final List<String> SMALL =
      List.of("-XX:TieredStopAtLevel=1", "-Xmx160m", "-Xss512k");

  private final String adminToken = ServerCluster.randomKey();
  private final String secretKey = ServerCluster.randomKey();
  private final ChaosEnvironment chaosEnvironment;
  private final DispatchPlan dispatchPlan;
  private final Path folder;
  private final TaskObservations taskObservations;
  private final String databaseUrl;
  private final List<Integer> ports;
  private final List<ClusterProcess> servers = new ArrayList<>();
  private final List<ClusterProcess> pods = new ArrayList<>();

  DispatchCluster(
      ChaosEnvironment chaosEnvironment,
      DispatchPlan dispatchPlan,
      Path folder,
      TaskObservations taskObservations) {
    this.chaosEnvironment = chaosEnvironment;
    this.dispatchPlan = dispatchPlan;
    this.folder = folder;
    this.taskObservations = taskObservations;
    this.databaseUrl = chaosEnvironment.stores().freshDatabase();
    this.ports =
        IntStream.range(0, dispatchPlan.servers())
            .mapToObj(i -> InstalledPrograms.freePort())
            .toList();
  }

  /** Starts all and waits until all are ready. The first server migrates the schema. */
  void start() throws IOException {
    for (int i = 0; i < dispatchPlan.servers(); i++) {
      servers.add(server(i));
      if (i == 0) {
        URI _ = servers.getFirst().awaitReady();
      }
    }
    for (int i = 0; i < dispatchPlan.pods(); i++) {
      pods.add(pod(i));
    }
    servers.forEach(ClusterProcess::awaitReady);
    pods.forEach(ClusterProcess::awaitReady);
  }

  List<ClusterProcess> servers() {
    return servers;
  }

  List<ClusterProcess> pods() {
    return pods;
  }

  List<URI> urls() {
    return ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
  }

  String adminToken() {
    return adminToken;
  }

  /** Database name, for queries. */
  String database() {
    return databaseUrl.substring(databaseUrl.lastIndexOf('/') + 1);
  }

  @Override
  public void close() throws IOException {
    for (ClusterProcess pod : pods) {
      pod.close();
    }
    for (ClusterProcess server : servers) {
      server.close();
    }
  }

  private ClusterProcess server(int number) throws IOException {
    String name = "server-" + number;
    Map<String, String> settings = settings();
    settings.put("CONVOKE_DATABASE_URL", databaseUrl);
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    List<String> arguments =
        List.of(
            "serve",
            "--port",
            ports.get(number).toString(),
            "--roles",
            "api,dispatch",
            "--data",
            folder.resolve(name).toString());
    return member(name, SERVER, arguments, settings);
  }

  private ClusterProcess pod(int number) throws IOException {
    String name = "pod-" + number;
    Map<String, String> settings = settings();
    settings.put("LAB_NOTES", taskObservations.notes().toString());
    List<String> arguments =
        List.of(
            "--region",
            DispatchRunConfig.REGIONS.get(number % DispatchRunConfig.REGIONS.size()),
            "--slots",
            Integer.toString(DispatchRunConfig.SLOTS),
            "--grace",
            DispatchRunConfig.GRACE.toSeconds() + "s",
            "--exec",
            taskObservations.command());
    return member(name, POD, arguments, settings);
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>(DispatchRunConfig.settings());
    settings.put("CONVOKE_REDIS_URL", chaosEnvironment.stores().redis().url());
    settings.put("CONVOKE_SECRET_KEY", secretKey);
    return settings;
  }

  private ClusterProcess member(
      String name, String main, List<String> arguments, Map<String, String> settings)
      throws IOException {
    JavaProgramSpec program =
        new JavaProgramSpec(name, main, arguments, settings, SMALL, folder.resolve(name + ".log"))
            .inEitherRelease();
    return new ClusterProcess(
        program,
        chaosEnvironment.guardian(),
        chaosEnvironment.stores().redis().port(),
        folder,
        dispatchPlan.clocks().getOrDefault(name, Duration.ZERO));
  }
}
