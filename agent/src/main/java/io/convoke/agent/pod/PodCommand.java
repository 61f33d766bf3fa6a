package io.convoke.agent.pod;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "pod",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a pod: claims tasks of its region, then of the global queues, one for each free slot.",
      "Needs CONVOKE_REDIS_URL of its servers and CONVOKE_POD_KEY in the environment."
    })
final class PodCommand implements Callable<Integer> {
  private final Function<Map<String, String>, Map<String, TaskHandler>> handlers;

  @Option(names = "--region", paramLabel = "R", required = true, description = "Its region.")
  private String region = "";

  @Option(
      names = "--slots",
      paramLabel = "N",
      required = true,
      description = "Most tasks to run at the same time.")
  private int slots;

  @Option(
      names = "--exec",
      paramLabel = "CMD",
      description = {
        "Command to run with sh -c for each task; it reads the task as JSON from standard input.",
        "Exit code 0: success; 75: retry; else: failed, with the last line of standard error."
      })
  private @Nullable String exec;

  @Option(
      names = "--types",
      paramLabel = "TYPE",
      split = ",",
      description = "Task types for --exec; all by default.")
  private List<String> types = List.of();

  @Option(
      names = "--cost",
      paramLabel = "TYPE=UNITS",
      description = "Units of --capacity that a task of a type takes; 1 by default.")
  private Map<String, Double> costs = new HashMap<>();

  @Option(
      names = "--capacity",
      paramLabel = "UNITS",
      description = "Most units of all running tasks; by default only slots limit.")
  private @Nullable Double capacity;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "Time from SIGTERM to SIGKILL when a task is stopped (${DEFAULT-VALUE}).")
  private Duration grace = Duration.ofSeconds(10);

  @Option(
      names = "--drain",
      paramLabel = "TIME",
      defaultValue = "25s",
      converter = DurationConverter.class,
      description =
          "How long running tasks may take after SIGTERM to the pod; then they are returned"
              + " (${DEFAULT-VALUE}).")
  private Duration drain = Duration.ofSeconds(25);

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Serve /livez, /readyz and /metrics there; 0 takes a free port.")
  private @Nullable Integer port;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "Address of --port (${DEFAULT-VALUE}).")
  private String host = "127.0.0.1";

  PodCommand(Function<Map<String, String>, Map<String, TaskHandler>> handlers) {
    this.handlers = handlers;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> environment = System.getenv();
    PodOptions plan = plan();
    PodSettings settings = PodSettings.read(environment);
    PodRuntime pod =
        new PodRuntime(
            plan, settings, plan.takesAll() ? Map.of() : handlers.apply(environment), environment);
    endWithTheProcess(pod);
    pod.awaitRedis();
    System.out.println("ready " + pod.address());
    new CountDownLatch(1).await();
    return 0;
  }

  private PodOptions plan() {
    return new PodOptions(
        region,
        slots,
        Optional.ofNullable(exec),
        Set.copyOf(types),
        costs,
        capacity == null ? OptionalDouble.empty() : OptionalDouble.of(capacity),
        grace,
        drain,
        host,
        port == null ? OptionalInt.empty() : OptionalInt.of(port));
  }

  private static void endWithTheProcess(PodRuntime pod) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  pod.close();
                  System.out.flush();
                  // A requested shutdown exits with 0; the JVM would exit with 143.
                  Runtime.getRuntime().halt(0);
                },
                "stop"));
  }

  /** Durations in Convoke's format. */
  static final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return PodSettings.length(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
