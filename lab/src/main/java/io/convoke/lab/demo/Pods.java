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

  private Pods(Guardian guardian, Path folder, Map<String, String> environment) {
    this.guardian = guardian;
    this.folder = folder;
    this.environment = environment;
  }

  /** Starts both at the same time and waits until they take tasks. */
  static Pods start(Guardian guardian, Path folder, Map<String, String> environment) {
    Pods pods = new Pods(guardian, folder, environment);
    List.of(EUROPE, AMERICA).forEach(pods::launch);
    pods.running.values().forEach(JavaProcess::url);
    return pods;
  }

  /** Where a pod is, by the name that it gave itself. */
  Optional<String> region(String pod) {
    return running.entrySet().stream()
        .filter(each -> each.getValue().url().getSchemeSpecificPart().equals(pod))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Ends a region's pod with kill -9. */
  void kill(String region) {
    JavaProcess pod = running.get(region);
    if (pod != null) {
      pod.kill();
    }
  }

  /** Starts a pod in a region: another one, with another name. */
  void launch(String region) {
    JavaProgram program =
        new JavaProgram(
            "pod " + region,
            MAIN,
            List.of("--region", region, "--slots", SLOTS),
            environment,
            QUICK_START,
            folder.resolve("pod-" + region + ".log"));
    running.put(region, JavaProcess.launch(program, guardian));
  }

  @Override
  public void close() {
    running.values().forEach(JavaProcess::close);
  }
}
