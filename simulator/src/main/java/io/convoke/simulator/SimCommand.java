package io.convoke.simulator;

import io.convoke.simulator.script.OfficeDayGenerator;
import io.convoke.simulator.script.RandomScenarioGenerator;
import io.convoke.simulator.script.ScenarioLoader;
import io.convoke.simulator.script.ScenarioParseResult;
import io.convoke.simulator.script.SimulationScript;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.convoke.simulator.webhook.WebhookSignature;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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

  public static void main(String[] args) {
    Program.run(new SimCommand(), args);
  }

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--host", description = "address to listen on (${DEFAULT-VALUE})")
  private String host = "127.0.0.1";

  @Option(names = "--port", description = "0 for any free one (${DEFAULT-VALUE})")
  private int port = 9100;

  @Option(names = "--seed", description = "decides people and faults (${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(
      names = "--scenario",
      description = {
        "who comes: office (endless, the default), random, morning, corners,",
        "recordings, a YAML or JSON file, or none"
      })
  private String scenario = "office";

  @Option(
      names = "--speed",
      description = "how many scripted seconds pass in a second (${DEFAULT-VALUE})")
  private double speed = 1;

  @Option(names = "--api-key", description = "what API callers must bear (${DEFAULT-VALUE})")
  private String apiKey = SimulatorConfig.DEFAULT_API_KEY;

  @Option(names = "--webhook-url", description = "registers a webhook from the start")
  private @Nullable URI webhookUrl;

  @Option(names = "--webhook-secret", description = "base64 key that signs its deliveries")
  private @Nullable String webhookSecret;

  @Option(names = "--presence-lag", description = "seconds, 0 to 15 (${DEFAULT-VALUE})")
  private double presenceLag;

  @Option(
      names = "--presence-time-error",
      description = "how far joinTime is off at most, 0 to 15 seconds (${DEFAULT-VALUE})")
  private double presenceTimeError;

  @Option(names = "--no-rate-limits", description = "answers however often it is asked")
  private boolean unlimited;

  @Option(names = "--open-rooms", description = "a bot that joins an unknown room makes it")
  private boolean openRooms;

  @Override
  public Integer call() throws InterruptedException {
    SimulatorConfig options = options();
    Consumer<Simulator> script = script();
    PrintWriter out = spec.commandLine().getOut();
    Simulator simulator = Simulator.start(options);
    simulator.presence().timeError(seconds(presenceTimeError));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(simulator), "sim-stop"));
    script.accept(simulator);
    out.println("ready " + simulator.url());
    out.flush();
    new CountDownLatch(1).await();
    return 0;
  }

  /** SIGTERM is a clean end, so the exit code is 0 and not that of the signal. */
  private static void stop(Simulator simulator) {
    simulator.close();
    Runtime.getRuntime().halt(0);
  }

  private static Duration seconds(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }

  private SimulatorConfig options() {
    require(speed > 0, "--speed must be positive");
    require(presenceLag >= 0 && presenceLag <= 15, "--presence-lag is from 0 to 15");
    require(
        presenceTimeError >= 0 && presenceTimeError <= 15, "--presence-time-error is from 0 to 15");
    require(
        (webhookUrl == null) == (webhookSecret == null),
        "--webhook-url and --webhook-secret go together");
    SimulatorConfig options =
        SimulatorConfig.defaults()
            .withHost(host)
            .withPort(port)
            .withSeed(seed)
            .withSpeed(speed)
            .withApiKey(apiKey)
            .withPresenceLag(seconds(presenceLag));
    if (webhookUrl != null && webhookSecret != null) {
      require(WebhookSignature.usable(webhookSecret), "--webhook-secret must be base64");
      options = options.withWebhook(WebhookEndpointRequest.to(webhookUrl, webhookSecret));
    }
    if (unlimited) {
      options = options.withoutRateLimits();
    }
    return openRooms ? options.withOpenRooms() : options;
  }

  private Consumer<Simulator> script() {
    return switch (scenario) {
      case "none" -> simulator -> {};
      case "office" -> simulator -> simulator.playForever("office", new OfficeDayGenerator(seed));
      case "random" ->
          simulator -> simulator.play(RandomScenarioGenerator.of(seed, 5, Duration.ofMinutes(30)));
      case String name ->
          switch (ScenarioLoader.find(name)) {
            case ScenarioParseResult.ValidScenario(SimulationScript found) ->
                simulator -> simulator.play(found);
            case ScenarioParseResult.InvalidScenario(List<String> faults) ->
                throw new ParameterException(
                    spec.commandLine(), "--scenario " + name + ": " + String.join("; ", faults));
          };
    };
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }
}
