package io.convoke.demo;

import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** One pod in each of two regions, each in its own process. */
final class DemoPods implements AutoCloseable {
  static final String EUROPE = "eu-west-1";
  static final String AMERICA = "us-east-1";

  private static final String SLOTS = "2";
  private static final String MAIN = "io.convoke.agent.ReferencePod";

  /** JVM flags for a fast start, as for the server. */
  private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1");

  private final OrphanReaper orphanReaper;
  private final Path folder;
  private final Map<String, String> environment;
  private final Map<String, JavaProcess> running = new ConcurrentHashMap<>();

  /** The region of each pod, past ones included, by pod id. */
  private final Map<String, String> regions = new ConcurrentHashMap<>();

  private DemoPods(OrphanReaper orphanReaper, Path folder, Map<String, String> environment) {
    this.orphanReaper = orphanReaper;
    this.folder = folder;
    this.environment = environment;
  }

  /** Starts both pods concurrently and waits until they claim tasks. */
  static DemoPods start(OrphanReaper orphanReaper, Path folder, Map<String, String> environment) {
    DemoPods demoPods = new DemoPods(orphanReaper, folder, environment);
    List.of(EUROPE, AMERICA).forEach(demoPods::begin);
    List.of(EUROPE, AMERICA).forEach(demoPods::await);
    return demoPods;
  }

  /** The region of a pod. */
  Optional<String> region(String pod) {
    return Optional.ofNullable(regions.get(pod));
  }

  /** Ends a region's pod with kill -9. */
  void kill(String region) {
    JavaProcess pod = running.get(region);
    if (pod != null) {
      pod.kill();
    }
  }

  /** Starts another pod with a new id in a region and waits until it claims tasks. */
  void launch(String region) {
    begin(region);
    await(region);
  }

  private void await(String region) {
    JavaProcess pod = running.get(region);
    if (pod != null) {
      var _ = regions.put(pod.url().getSchemeSpecificPart(), region);
    }
  }

  private void begin(String region) {
    JavaProgramSpec program =
        new JavaProgramSpec(
            "pod " + region,
            MAIN,
            List.of("--region", region, "--slots", SLOTS),
            environment,
            QUICK_START,
            folder.resolve("pod-" + region + ".log"));
    var _ = running.put(region, JavaProcess.launch(program, orphanReaper));
  }

  @Override
  public void close() {
    running.values().forEach(JavaProcess::close);
  }
}
