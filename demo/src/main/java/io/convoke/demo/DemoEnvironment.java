package io.convoke.demo;

import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.ServerProcess;
import io.convoke.simulator.script.OfficeDayGenerator;
import io.convoke.simulator.script.ScenarioLoader;
import io.convoke.simulator.script.ScriptedMeeting;
import io.convoke.simulator.script.SimulationScript;
import io.convoke.simulator.state.SimulationEvent;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** All processes of the demo, started in order of dependency and stopped in reverse order. */
final class DemoEnvironment implements AutoCloseable {
  private static final String USER = "olivia@example.org";

  /** Interval of the recording listing; the default of three minutes is too long for a demo. */
  private static final String LISTING = "10s";

  /** Short lease, so that the task of a killed pod restarts soon. */
  private static final String POD_DEAD_AFTER = "3s";

  /** How long the CRM takes for a note, so that the spinner is visible. */
  private static final Duration CRM_THINKS = Duration.ofSeconds(3);

  /** Started processes, the last one first: the order of stopping. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final DemoTranscriber demoTranscriber;
  private final FakeCrm crm;
  private final Simulator simulator;
  private final ServerProcess server;
  private final DemoPods demoPods;
  private final DemoApiClient admin;
  private final String userKey;
  private final DemoSecrets demoSecrets;
  private final DemoConfig config;

  private DemoEnvironment(DemoConfig config) {
    this.config = config;
    this.demoSecrets = DemoSecrets.with(secretKey(config.data()));
    LocalStores localStores = keep(LocalStores.open(config.data().resolve("stores")));
    int port = config.port() == 0 ? InstalledPrograms.freePort() : checked(config.port());
    this.demoTranscriber = DemoTranscriber.open(config.transcriber(), lines(), config.data());
    this.crm = keep(new FakeCrm(demoSecrets.crm()));
    crm.think(CRM_THINKS);
    this.simulator = keep(Simulator.start(simulation(port)));
    OrphanReaper orphanReaper = keep(new OrphanReaper());
    this.server =
        keep(
            ServerProcess.start(
                orphanReaper,
                List.of("serve", "--data", config.data().toString()),
                settings(localStores, port),
                config.data().resolve("server.log")));
    this.demoPods = keep(DemoPods.start(orphanReaper, config.data(), podSettings(localStores)));
    this.admin = new DemoApiClient(server.url(), "X-Admin-API-Key", demoSecrets.admin());
    this.userKey = key(admin);
  }

  static DemoEnvironment start(DemoConfig config) {
    try {
      Files.createDirectories(config.data());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use the folder " + config.data(), e);
    }
    return new DemoEnvironment(config);
  }

  /** Prints the addresses, then starts the participants and logs the events. */
  void runScript() {
    System.out.println(
        """

        Convoke demo: the morning of a small company, %s times as fast as real.

          console      %s/#key=%s
          API key      %s      (X-API-Key)
          admin key    %s      (X-Admin-API-Key)
          simulator    %s/control/truth
          CRM          %s, a fake with HubSpot's API
          recordings   transcribed by %s
          pods         one in eu-west-1, one in us-east-1; their snapshots: %s
          logs         %s

        Ctrl-C ends everything. Events:
        """
            .formatted(
                Double.toString(config.speed()).replaceAll("\\.0$", ""),
                server.url(),
                userKey,
                userKey,
                demoSecrets.admin(),
                simulator.url(),
                crm.hubSpotUrl(),
                demoTranscriber.name(),
                pictures(),
                config.data().resolve("*.log")));
    DemoApiClient user = new DemoApiClient(server.url(), "X-API-Key", userKey);
    SimulationScript morning = ScenarioLoader.morning();
    demoTranscriber
        .script()
        .ifPresent(script -> simulator.world().subscribe(later(script::onSimulation)));
    DemoScript demoScript =
        keep(
            new DemoScript(
                user,
                simulator,
                crm,
                morning,
                config.speed(),
                demoTranscriber.name(),
                demoPods,
                pictures()));
    demoScript.begin();
    simulator.play(morning);
    simulator.playForever("office", new OfficeDayGenerator(config.seed(), morning.length()));
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        System.err.println("while stopping: " + e.getMessage());
      }
    }
  }

  private SimulatorConfig simulation(int serverPort) {
    URI webhooks = URI.create("http://127.0.0.1:" + serverPort + "/webhooks/daily");
    return SimulatorConfig.defaults()
        .withSeed(config.seed())
        .withSpeed(config.speed())
        .withApiKey(demoSecrets.dailyApi())
        .withWebhook(WebhookEndpointRequest.to(webhooks, demoSecrets.dailyWebhook()));
  }

  private Map<String, String> settings(LocalStores localStores, int port) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", Integer.toString(port));
    settings.put("CONVOKE_DATABASE_URL", localStores.databaseUrl());
    settings.put("CONVOKE_REDIS_URL", localStores.redis().url());
    settings.put("CONVOKE_SECRET_KEY", demoSecrets.secretKey());
    settings.put("CONVOKE_ADMIN_TOKEN", demoSecrets.admin());
    settings.put("CONVOKE_INTERNAL_TOKEN", demoSecrets.internal());
    settings.put("CONVOKE_DAILY_API_URL", simulator.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", demoSecrets.dailyApi());
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", demoSecrets.dailyWebhook());
    settings.put("CONVOKE_MEETING_HOSTS", simulator.url().getAuthority());
    settings.put("CONVOKE_SIM_URL", simulator.url().toString());
    settings.put("CONVOKE_RECORDING_POLL_INTERVAL", LISTING);
    settings.put("CONVOKE_DISPATCH_DEAD_AFTER", POD_DEAD_AFTER);
    settings.put("CONVOKE_TRANSCRIBER", demoTranscriber.setting());
    settings.put("CONVOKE_CRM_KIND", "hubspot");
    settings.put("CONVOKE_CRM_URL", crm.hubSpotUrl().toString());
    settings.put("CONVOKE_CRM_SECRET", demoSecrets.crm());
    settings.put("CONVOKE_LOG_FORMAT", "text");
    return settings;
  }

  /** Environment of a pod: Redis, the key of pods, the rooms and the snapshot folder. */
  private Map<String, String> podSettings(LocalStores localStores) {
    return Map.of(
        "CONVOKE_REDIS_URL",
        localStores.redis().url(),
        "CONVOKE_POD_KEY",
        podKey(),
        "CONVOKE_DISPATCH_DEAD_AFTER",
        POD_DEAD_AFTER,
        "CONVOKE_SNAPSHOT_ROOMS_URL",
        simulator.url() + "/rooms",
        "CONVOKE_BLOB_STORE",
        "file:" + blobs(),
        "CONVOKE_LOG_FORMAT",
        "text");
  }

  /** The key that opens tokens of tasks and nothing else, as an operator gets it. */
  private String podKey() {
    return JavaProcess.output(
        JavaProgramSpec.server(
            "pod-key",
            List.of("pod-key"),
            Map.of("CONVOKE_SECRET_KEY", demoSecrets.secretKey()),
            config.data().resolve("pod-key.log")));
  }

  private Path blobs() {
    return config.data().resolve("blobs").toAbsolutePath();
  }

  private Path pictures() {
    return blobs().resolve("blobs").resolve("snapshots");
  }

  /** All scripted lines. */
  private static List<String> lines() {
    return Stream.of(
            RecordedCallsScript.lines().stream(),
            ScenarioLoader.morning().meetings().stream()
                .flatMap(meeting -> meeting.lines().stream())
                .map(ScriptedMeeting.ScriptedLine::text),
            OfficeDayGenerator.allLines().stream())
        .flatMap(lines -> lines)
        .toList();
  }

  /** Runs work on a thread of its own, so that it does not block the simulator. */
  private static Consumer<SimulationEvent> later(Consumer<SimulationEvent> work) {
    return event -> Thread.ofVirtual().name("demo-script").start(() -> work.accept(event));
  }

  /** The demo's user, created at the first start, with a new key. */
  static String key(DemoApiClient admin) {
    Map<String, Object> wanted = new HashMap<>();
    wanted.put("email", USER);
    wanted.put("name", "Olivia");
    wanted.put("max_concurrent_bots", null);
    long user = admin.post("/admin/users", wanted).body().path("id").asLong();
    return admin
        .post("/admin/users/" + user + "/tokens", Map.of("name", "demo"))
        .body()
        .path("token")
        .asString();
  }

  private <T extends AutoCloseable> T keep(T part) {
    started.push(part);
    return part;
  }

  private static int checked(int port) {
    if (!InstalledPrograms.free(port)) {
      throw new ChildProcessException("port " + port + " is taken; choose another with --port");
    }
    return port;
  }

  /** The key of the data in a folder, new at the first start. */
  static String secretKey(Path data) {
    Path file = data.resolve("secret-key");
    try {
      if (!Files.exists(file)) {
        Files.createFile(
            file,
            java.nio.file.attribute.PosixFilePermissions.asFileAttribute(
                java.nio.file.attribute.PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, DemoSecrets.bytes(32));
      }
      return Files.readString(file).trim();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the demo's key to " + file, e);
    }
  }
}
