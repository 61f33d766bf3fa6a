package io.convoke.demo;

import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.InstalledPrograms;
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

/** Everything of the demo, started bottom up and stopped top down. */
final class DemoEnvironment implements AutoCloseable {
  private static final String USER = "olivia@example.org";

  /** Between two listings of recordings; three minutes by default, which is no story. */
  private static final String LISTING = "10s";

  /** Nobody waits for the end of a lease in a story: what a killed pod ran begins again soon. */
  private static final String POD_DEAD_AFTER = "3s";

  /** How long the CRM takes over a note, so that a spinner can be seen. */
  private static final Duration CRM_THINKS = Duration.ofSeconds(3);

  /** What was started, last first: the order of stopping. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final DemoTranscriber demoTranscriber;
  private final FakeCrm crm;
  private final Simulator simulator;
  private final ServerProcess server;
  private final DemoPods demoPods;
  private final DemoApiClient admin;
  private final String userKey;
  private final DemoSecrets demoSecrets;
  private final DemoConfig terms;

  private DemoEnvironment(DemoConfig terms) {
    this.terms = terms;
    this.demoSecrets = DemoSecrets.with(secretKey(terms.data()));
    LocalStores localStores = keep(LocalStores.open(terms.data().resolve("stores")));
    int port = terms.port() == 0 ? InstalledPrograms.freePort() : checked(terms.port());
    this.demoTranscriber = DemoTranscriber.open(terms.transcriber(), lines(), terms.data());
    this.crm = keep(new FakeCrm(demoSecrets.crm()));
    crm.think(CRM_THINKS);
    this.simulator = keep(Simulator.start(simulation(port)));
    OrphanReaper orphanReaper = keep(new OrphanReaper());
    this.server =
        keep(
            ServerProcess.start(
                orphanReaper,
                List.of("serve", "--data", terms.data().toString()),
                settings(localStores, port),
                terms.data().resolve("server.log")));
    this.demoPods = keep(DemoPods.start(orphanReaper, terms.data(), podSettings(localStores)));
    this.admin = new DemoApiClient(server.url(), "X-Admin-API-Key", demoSecrets.admin());
    this.userKey = key(admin);
  }

  static DemoEnvironment start(DemoConfig terms) {
    try {
      Files.createDirectories(terms.data());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use the folder " + terms.data(), e);
    }
    return new DemoEnvironment(terms);
  }

  /** Says where everything is, then sends the people and tells what happens. */
  void runScript() {
    System.out.println(
        """

        Convoke demo: the morning of a small company, %s times as fast as real.

          console      %s/#key=%s
          API key      %s      (X-API-Key)
          admin key    %s      (X-Admin-API-Key)
          simulator    %s/control/truth
          CRM          %s, a stand-in that speaks HubSpot's API
          recordings   heard by %s
          pods         one in eu-west-1, one in us-east-1; their pictures: %s
          logs         %s

        Ctrl-C ends everything. What happens:
        """
            .formatted(
                Double.toString(terms.speed()).replaceAll("\\.0$", ""),
                server.url(),
                userKey,
                userKey,
                demoSecrets.admin(),
                simulator.url(),
                crm.hubSpotUrl(),
                demoTranscriber.name(),
                pictures(),
                terms.data().resolve("*.log")));
    DemoApiClient user = new DemoApiClient(server.url(), "X-API-Key", userKey);
    SimulationScript morning = ScenarioLoader.morning();
    demoTranscriber
        .script()
        .ifPresent(script -> simulator.world().subscribe(later(script::happened)));
    DemoScript demoScript =
        keep(
            new DemoScript(
                user,
                simulator,
                crm,
                morning,
                terms.speed(),
                demoTranscriber.name(),
                demoPods,
                pictures()));
    demoScript.begin();
    simulator.play(morning);
    simulator.playForever("office", new OfficeDayGenerator(terms.seed(), morning.length()));
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
        .withSeed(terms.seed())
        .withSpeed(terms.speed())
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

  /** A pod knows Redis and the secret key, where rooms are and where its pictures go. */
  private Map<String, String> podSettings(LocalStores localStores) {
    return Map.of(
        "CONVOKE_REDIS_URL",
        localStores.redis().url(),
        "CONVOKE_SECRET_KEY",
        demoSecrets.secretKey(),
        "CONVOKE_DISPATCH_DEAD_AFTER",
        POD_DEAD_AFTER,
        "CONVOKE_SNAPSHOT_ROOMS_URL",
        simulator.url() + "/rooms",
        "CONVOKE_BLOB_STORE",
        "file:" + blobs(),
        "CONVOKE_LOG_FORMAT",
        "text");
  }

  private Path blobs() {
    return terms.data().resolve("blobs").toAbsolutePath();
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

  /** What takes longer than a note must not hold the platform up. */
  private static Consumer<SimulationEvent> later(Consumer<SimulationEvent> work) {
    return event -> Thread.ofVirtual().name("demo-script").start(() -> work.accept(event));
  }

  /** The demo's user, made with the first start, with a new key. */
  private static String key(DemoApiClient admin) {
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

  private static String secretKey(Path data) {
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
      throw new UncheckedIOException("cannot keep the demo's key in " + file, e);
    }
  }
}
