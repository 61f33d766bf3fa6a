package io.convoke.e2e.journey;

import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.ServerProcess;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A real server process on real stores with a simulated platform around it. */
public final class JourneyTestServer implements AutoCloseable {
  public static final String ADMIN = "the-admins-token";
  public static final String WEBHOOK_SECRET = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0";
  private static final Duration LOOK = Duration.ofMillis(50);
  public static final String SECRET_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

  private final Path folder;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final Simulator simulator;
  private final ServerProcess server;
  private final String databaseUrl;
  private final String redisUrl;

  private JourneyTestServer(Path folder, boolean attached, Map<String, String> more) {
    this.folder = folder;
    int port = InstalledPrograms.freePort();
    simulator =
        Simulator.start(
            SimulatorConfig.defaults()
                .withWebhook(
                    WebhookEndpointRequest.to(
                        URI.create("http://127.0.0.1:" + port + "/webhooks/daily"),
                        WEBHOOK_SECRET)));
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", Integer.toString(port));
    databaseUrl = LocalStores.forTests().freshDatabase();
    settings.put("CONVOKE_DATABASE_URL", databaseUrl);
    redisUrl = LocalStores.forTests().ownRedis().url();
    settings.put("CONVOKE_REDIS_URL", redisUrl);
    settings.put("CONVOKE_SECRET_KEY", SECRET_KEY);
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_MEETING_HOSTS", simulator.url().getAuthority());
    settings.put("CONVOKE_DAILY_API_URL", simulator.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", simulator.apiKey());
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", WEBHOOK_SECRET);
    if (attached) {
      settings.put("CONVOKE_SIM_URL", simulator.url().toString());
    }
    settings.putAll(more);
    server =
        ServerProcess.start(
            orphanReaper,
            List.of("serve", "--data", folder.toString()),
            settings,
            folder.resolve("server.log"));
  }

  public static JourneyTestServer open(Path folder, Map<String, String> more) {
    return new JourneyTestServer(folder, false, more);
  }

  /** A server whose operator may read the simulated platform and inject faults. */
  public static JourneyTestServer openLab(Path folder, Map<String, String> more) {
    return new JourneyTestServer(folder, true, more);
  }

  public Simulator simulator() {
    return simulator;
  }

  /** A participant joins a room, which is created if it does not exist. */
  public void meet(String room, String name) {
    var _ = simulator.world().ensure(RoomRequest.named(room));
    var _ = simulator.world().join(room, Visitor.named(name));
  }

  /** A participant leaves a room. */
  public void leave(String room, String name) {
    simulator.world().roomViews().stream()
        .filter(seen -> seen.room().name().equals(room))
        .flatMap(seen -> seen.present().stream())
        .filter(roomSession -> roomSession.visitor().userName().equals(Optional.of(name)))
        .forEach(
            roomSession -> {
              boolean _ = simulator.world().leave(room, roomSession.sessionId(), LeaveReason.LEFT);
            });
  }

  /** Where its rows are: {@code postgresql://user:pass@host:port/db}. */
  public String databaseUrl() {
    return databaseUrl;
  }

  /** Where its pods find it. */
  public String redisUrl() {
    return redisUrl;
  }

  public ServerProcess server() {
    return server;
  }

  public ApiUser anonymous() {
    return new ApiUser(server.url(), Map.of());
  }

  public ApiUser admin() {
    return new ApiUser(server.url(), Map.of("X-Admin-API-Key", ADMIN));
  }

  /** A new user with a key. */
  public ApiUser user(String email) throws IOException, InterruptedException {
    return new ApiUser(server.url(), Map.of("X-API-Key", key(email)));
  }

  /** The key of a new user. */
  public String key(String email) throws IOException, InterruptedException {
    long id =
        admin()
            .post("/admin/users", "{\"email\": \"%s\"}".formatted(email))
            .body()
            .path("id")
            .asLong();
    return admin().post("/admin/users/" + id + "/tokens", "{}").body().path("token").asString();
  }

  public String log() throws IOException {
    return Files.readString(folder.resolve("server.log"));
  }

  /** The running bot processes, found by an entry of their environment. */
  public static Stream<ProcessHandle> bots() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().arguments().stream()
                    .flatMap(Stream::of)
                    .anyMatch("io.convoke.agent.ReferenceBot"::equals));
  }

  /** Asks until a condition holds, and fails if it does not in time. */
  public static void await(String what, Duration atMost, BooleanSupplier condition) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("in vain: " + what);
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }

  /** Waits until a process has ended, and fails if it does not. */
  public static void awaitEnd(ProcessHandle process, Duration atMost) throws Exception {
    ProcessHandle _ =
        process.onExit().get(atMost.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
  }

  public static Optional<ProcessHandle> botOf(JourneyTestServer journeyTestServer) {
    return bots().filter(journeyTestServer::owns).findFirst();
  }

  private boolean owns(ProcessHandle process) {
    try {
      String environment = Files.readString(Path.of("/proc/" + process.pid() + "/environ"));
      return environment.contains(server.url());
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    bots().filter(this::owns).forEach(ProcessHandle::destroyForcibly);
    server.close();
    simulator.close();
    orphanReaper.close();
  }
}
