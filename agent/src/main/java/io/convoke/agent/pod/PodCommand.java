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
      "Runs a pod: takes tasks of a region, then those of everybody, one for each free slot.",
      "It needs CONVOKE_REDIS_URL and CONVOKE_SECRET_KEY of its servers in its environment."
    })
final class PodCommand implements Callable<Integer> {
  private final Function<Map<String, String>, Map<String, TaskHandler>> handlers;

  @Option(names = "--region", paramLabel = "R", required = true, description = "Its region.")
  private String region = "";

  @Option(
      names = "--slots",
      paramLabel = "N",
      required = true,
      description = "Tasks that it runs side by side at most.")
  private int slots;

  @Option(
      names = "--exec",
      paramLabel = "CMD",
      description = {
        "Run by sh -c for each task, which it reads as JSON from standard input.",
        "Exit code 0: success; 75: try again; else: failed, with the last line of standard error."
      })
  private @Nullable String exec;

  @Option(
      names = "--types",
      paramLabel = "TYPE",
      split = ",",
      description = "Types of tasks that --exec is for; all by default.")
  private List<String> types = List.of();

  @Option(
      names = "--cost",
      paramLabel = "TYPE=UNITS",
      description = "What a task of a type takes of --capacity; 1 by default.")
  private Map<String, Double> costs = new HashMap<>();

  @Option(
      names = "--capacity",
      paramLabel = "UNITS",
      description = "What all running tasks may cost together; by default the slots alone count.")
  private @Nullable Double capacity;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "From SIGTERM to SIGKILL of a program that is to stop (${DEFAULT-VALUE}).")
  private Duration grace = Duration.ofSeconds(10);

  @Option(
      names = "--drain",
      paramLabel = "TIME",
      defaultValue = "25s",
      converter = DurationConverter.class,
      description =
          "How long running tasks may take once the pod is told to end; then they are given back"
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
                  // An end that was asked for is a clean one; the JVM would answer 143.
                  Runtime.getRuntime().halt(0);
                },
                "stop"));
  }

  /** Spans as all of Convoke writes them. */
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
