package io.convoke.lab.demo;

import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.JavaProcess;
import io.convoke.lab.child.JavaProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A pod in each of two regions, each a process of its own that knows Redis and the secret key. */
final class Pods implements AutoCloseable {
  static final String EUROPE = "eu-west-1";
  static final String AMERICA = "us-east-1";

  private static final String SLOTS = "2";
  private static final String MAIN = "io.convoke.agent.ReferencePod";

  /** As for the server: what lives for minutes starts faster so. */
  private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1");

  private final Guardian guardian;
  private final Path folder;
  private final Map<String, String> environment;
  private final Map<String, JavaProcess> running = new ConcurrentHashMap<>();

  /** Where each pod is or was, by the name that it gave itself. */
  private final Map<String, String> regions = new ConcurrentHashMap<>();

  private Pods(Guardian guardian, Path folder, Map<String, String> environment) {
    this.guardian = guardian;
    this.folder = folder;
    this.environment = environment;
  }

  /** Starts both at the same time and waits until they take tasks. */
  static Pods start(Guardian guardian, Path folder, Map<String, String> environment) {
    Pods pods = new Pods(guardian, folder, environment);
    List.of(EUROPE, AMERICA).forEach(pods::begin);
    List.of(EUROPE, AMERICA).forEach(pods::await);
    return pods;
  }

  /** Where a pod is, by its name. */
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

  /** Starts another pod in a region, with another name, and waits until it takes tasks. */
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
    JavaProgram program =
        new JavaProgram(
            "pod " + region,
            MAIN,
            List.of("--region", region, "--slots", SLOTS),
            environment,
            QUICK_START,
            folder.resolve("pod-" + region + ".log"));
    var _ = running.put(region, JavaProcess.launch(program, guardian));
  }

  @Override
  public void close() {
    running.values().forEach(JavaProcess::close);
  }
}
