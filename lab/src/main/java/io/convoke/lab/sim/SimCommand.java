package io.convoke.lab.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.convoke.lab.sim.webhook.EndpointRequest;
import io.convoke.lab.sim.webhook.Signature;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the platform simulator until it is stopped. */
@Command(
    name = "sim",
    description = "The platform simulator alone: Daily's API, webhooks, rooms, people, faults.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class SimCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--host", description = "address to listen on (${DEFAULT-VALUE})")
  private String host = "127.0.0.1";

  @Option(names = "--port", description = "0 for any free one (${DEFAULT-VALUE})")
  private int port = 9100;

  @Option(names = "--seed", description = "decides people and faults (${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(
      names = "--speed",
      description = "how many scripted seconds pass in a second (${DEFAULT-VALUE})")
  private double speed = 1;

  @Option(names = "--api-key", description = "what API callers must bear (${DEFAULT-VALUE})")
  private String apiKey = SimulatorOptions.DEFAULT_API_KEY;

  @Option(names = "--webhook-url", description = "registers a webhook from the start")
  private @Nullable URI webhookUrl;

  @Option(names = "--webhook-secret", description = "base64 key that signs its deliveries")
  private @Nullable String webhookSecret;

  @Option(names = "--presence-lag", description = "seconds, 0 to 15 (${DEFAULT-VALUE})")
  private double presenceLag;

  @Option(names = "--no-rate-limits", description = "answers however often it is asked")
  private boolean unlimited;

  @Option(names = "--open-rooms", description = "a bot that joins an unknown room makes it")
  private boolean openRooms;

  @Override
  public Integer call() throws InterruptedException {
    SimulatorOptions options = options();
    quiet();
    PrintWriter out = spec.commandLine().getOut();
    Simulator simulator = Simulator.start(options);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(simulator), "sim-stop"));
    out.println("ready " + simulator.url());
    out.flush();
    new CountDownLatch(1).await();
    return 0;
  }

  /** Being told to stop is a clean end, so the exit code is 0 and not that of the signal. */
  private static void stop(Simulator simulator) {
    simulator.close();
    Runtime.getRuntime().halt(0);
  }

  /** Keeps standard output for the ready line: libraries speak up only when something is wrong. */
  private static void quiet() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
      logs.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    }
  }

  private SimulatorOptions options() {
    require(speed > 0, "--speed must be positive");
    require(presenceLag >= 0 && presenceLag <= 15, "--presence-lag is from 0 to 15");
    require(
        (webhookUrl == null) == (webhookSecret == null),
        "--webhook-url and --webhook-secret go together");
    SimulatorOptions options =
        SimulatorOptions.defaults()
            .withHost(host)
            .withPort(port)
            .withSeed(seed)
            .withSpeed(speed)
            .withApiKey(apiKey)
            .withPresenceLag(Duration.ofMillis(Math.round(presenceLag * 1000)));
    if (webhookUrl != null && webhookSecret != null) {
      require(Signature.usable(webhookSecret), "--webhook-secret must be base64");
      options = options.withWebhook(EndpointRequest.to(webhookUrl, webhookSecret));
    }
    if (unlimited) {
      options = options.withoutRateLimits();
    }
    return openRooms ? options.withOpenRooms() : options;
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }
}
