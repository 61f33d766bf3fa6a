package io.convoke.chaos;

import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.control.SimulationTruth;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.JavaProgramSpec;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/** The server processes of one run, on a fresh database and Redis, each on a fixed port. */
public final class ServerCluster implements AutoCloseable, FaultTargets {
  /** A server that lives for minutes starts faster without the second compiler. */
  private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1");

  private static final Set<String> STORES = Set.of("CONVOKE_REDIS_URL", "CONVOKE_DATABASE_URL");

  /** Between the platform's time of an attempt and the call on the wire, with its timeout. */
  private static final Duration AROUND = Duration.ofSeconds(1);

  private static final int LIVES_MAX = 1_000;

  private final String secretKey = randomKey();
  private final String ownToken = randomKey();
  private final String webhookSecret = randomKey();
  private final ChaosEnvironment environment;
  private final String databaseUrl;
  private final Path folder;
  private final List<Integer> ports;
  private final ServerOptions options;
  private final List<ChaosProgram> servers = new CopyOnWriteArrayList<>();
  private String adminToken = ownToken;

  /** Per server, how often an end was begun, and completed. */
  private final AtomicIntegerArray lives;

  /**
   * How the processes differ from those of other scenarios.
   *
   * @param flags of the JVM
   * @param disturbed whether the scenario's own faults hit the network between servers and stores
   * @param clocks by a server's name: how far its wall clock is ahead from the start
   */
  public record ServerOptions(List<String> flags, boolean disturbed, Map<String, Duration> clocks) {
    static final ServerOptions USUAL = new ServerOptions(QUICK_START, false, Map.of());
  }

  public ServerCluster(ChaosEnvironment environment, Path folder, int number) {
    this(environment, folder, number, ServerOptions.USUAL);
  }

  public ServerCluster(
      ChaosEnvironment environment, Path folder, int number, ServerOptions options) {
    this.environment = environment;
    this.folder = folder;
    this.options = options;
    this.databaseUrl = environment.stores().freshDatabase();
    this.ports = IntStream.range(0, number).mapToObj(i -> InstalledPrograms.freePort()).toList();
    this.lives = new AtomicIntegerArray(number);
  }

  /**
   * Starts all. The first server migrates the schema, so the others start after it.
   *
   * @param roles value of {@code --roles}
   * @param more settings in addition to those of the stores and the admin's token
   */
  public void start(String roles, Map<String, String> more) {
    start(roles, more, Optional.empty());
  }

  /** The same, with one folder of data for all servers. */
  public void start(String roles, Map<String, String> more, Optional<Path> data) {
    Map<String, String> settings = new HashMap<>(stores());
    settings.put("CONVOKE_ADMIN_TOKEN", ownToken);
    settings.putAll(more);
    adminToken = settings.getOrDefault("CONVOKE_ADMIN_TOKEN", "");
    boolean disturbed = options.disturbed() || environment.onNetwork();
    for (int i = 0; i < ports.size(); i++) {
      String name = FaultTimeline.server(i);
      List<String> arguments =
          List.of(
              "serve",
              "--port",
              ports.get(i).toString(),
              "--roles",
              roles,
              "--data",
              data.orElse(folder.resolve(name)).toString());
      JavaProgramSpec program =
          JavaProgramSpec.server(name, arguments, settings, log(i)).withFlags(options.flags());
      servers.add(
          new ChaosProgram(
              _ -> program,
              environment.guardian(),
              disturbed ? STORES : Set.of(),
              FakeClock.shifted(folder, name, options.clocks().getOrDefault(name, Duration.ZERO))));
      if (i == 0) {
        boolean _ = servers.getFirst().awaitReady();
      }
    }
    servers.forEach(ChaosProgram::awaitReady);
  }

  @Override
  public List<ChaosProgram> programs() {
    return servers;
  }

  /** Opens event streams as the admin, which nothing reads. */
  @Override
  public StalledClients stall(int number) {
    return StalledEventStreams.open(urls(), adminToken, number);
  }

  @Override
  public void stop(int server) {
    int _ = lives.incrementAndGet(server);
    servers.get(server).stop();
    int _ = lives.incrementAndGet(server);
  }

  @Override
  public void kill(int server) {
    int _ = lives.incrementAndGet(server);
    servers.get(server).kill();
    int _ = lives.incrementAndGet(server);
  }

  /** The server of such a number. */
  public static int serverOf(int process) {
    return process / LIVES_MAX;
  }

  /** Number of the process that receives a call made now; increases with each restart. */
  public int process(int server) {
    return server * LIVES_MAX + lives.get(server);
  }

  public int number() {
    return ports.size();
  }

  public Path log(int server) {
    return folder.resolve(FaultTimeline.server(server) + ".log");
  }

  public List<URI> urls() {
    return ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
  }

  public String adminToken() {
    return adminToken;
  }

  /** Calls the first server as the admin. */
  public ApiClient admin() {
    return ApiClient.admin(urls().getFirst(), adminToken);
  }

  /** Where a simulated platform sends its webhooks: to the first server. */
  public URI webhookUrl() {
    return urls().getFirst().resolve("/webhooks/daily");
  }

  /** With it the platform signs them. */
  public String webhookSecret() {
    return webhookSecret;
  }

  /** Every attempt of the platform to deliver an event to the first server. */
  public static List<TimedReply> webhooks(SimulationTruth truth) {
    return truth.webhooks().stream()
        .flatMap(
            delivery ->
                delivery.attempts().stream()
                    .map(
                        attempt ->
                            new TimedReply(
                                delivery.envelope().type() + " " + delivery.envelope().label(),
                                FaultTimeline.server(0),
                                attempt.status().orElse(0),
                                attempt.at().minus(AROUND),
                                attempt.at().plus(AROUND))))
        .toList();
  }

  /** Settings of servers that use a simulated platform. */
  public Map<String, String> on(Simulator platform) {
    return Map.of(
        "CONVOKE_DAILY_API_URL", platform.apiUrl().toString(),
        "CONVOKE_DAILY_API_KEY", platform.apiKey(),
        "CONVOKE_DAILY_WEBHOOK_SECRET", webhookSecret);
  }

  /** Settings of a program on the same stores. */
  public Map<String, String> stores() {
    return Map.of(
        "CONVOKE_DATABASE_URL", databaseUrl,
        "CONVOKE_REDIS_URL", environment.stores().redis().url(),
        "CONVOKE_SECRET_KEY", secretKey);
  }

  /** Database name, for queries. */
  public String database() {
    return databaseUrl.substring(databaseUrl.lastIndexOf('/') + 1);
  }

  /** A random key. */
  public static String randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }

  @Override
  public void close() {
    servers.forEach(ChaosProgram::close);
  }
}
