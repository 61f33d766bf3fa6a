package io.convoke.bench.webhooks;

import io.convoke.bench.load.ServerCandidate;
import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.LocalStores;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** The stores, the three servers and the tracked meetings of one run. */
final class WebhooksTestEnvironment implements AutoCloseable {
  static final String BARE = "bare";
  static final String NAIVE = "naive";
  static final String OURS = "ours";

  private static final long MAPPED_MAX_NANOS = 30_000_000_000L;
  private static final int SCAN = 1000;

  /** The same heap for all, so that none collects less often than the others. */
  private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");

  private final Path folder;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final LocalStores localStores;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final String secret = randomKey();
  private final String adminToken = randomKey();
  private final Map<String, String> settings;
  private final List<String> rooms;
  private final List<Long> meetings = new ArrayList<>();
  private final List<ServerCandidate> candidates = new ArrayList<>();

  private WebhooksTestEnvironment(Path folder, int number) {
    this.folder = folder;
    this.localStores = LocalStores.open(folder.resolve("stores"));
    this.client = RedisClient.create(localStores.redis().url());
    this.connection = client.connect();
    this.rooms = IntStream.range(0, number).mapToObj(i -> "bench-room-" + i).toList();
    this.settings =
        Map.of(
            "CONVOKE_DATABASE_URL",
            localStores.databaseUrl(),
            "CONVOKE_REDIS_URL",
            localStores.redis().url(),
            "CONVOKE_SECRET_KEY",
            randomKey(),
            "CONVOKE_ADMIN_TOKEN",
            adminToken,
            "CONVOKE_DAILY_WEBHOOK_SECRET",
            secret,
            "CONVOKE_DAILY_API_KEY",
            "unused",
            // Unused: a node with the role api alone never polls.
            "CONVOKE_DAILY_API_URL",
            "http://127.0.0.1:9/v1",
            "CONVOKE_RATE_LIMIT",
            "100000");
  }

  /** Starts everything and tracks the meetings. */
  static WebhooksTestEnvironment start(Path folder, int meetings) {
    WebhooksTestEnvironment webhooksTestEnvironment = new WebhooksTestEnvironment(folder, meetings);
    try {
      webhooksTestEnvironment.track();
      webhooksTestEnvironment.launch(webhooksTestEnvironment.reference(BARE));
      webhooksTestEnvironment.launch(webhooksTestEnvironment.reference(NAIVE));
      webhooksTestEnvironment.launch(webhooksTestEnvironment.server(OURS, "api"));
      return webhooksTestEnvironment;
    } catch (RuntimeException failed) {
      webhooksTestEnvironment.close();
      throw failed;
    }
  }

  List<ServerCandidate> candidates() {
    return candidates;
  }

  SignedEvents events() {
    return new SignedEvents(rooms, secret);
  }

  int meetings() {
    return meetings.size();
  }

  /** Fails unless each meeting has its flag, and takes the flags away for the next turn. */
  void requireFlags() {
    String[] flags =
        meetings.stream().map(id -> "meeting_poll_requested:" + id).toArray(String[]::new);
    long flagged = connection.sync().del(flags);
    if (flagged != meetings.size()) {
      throw new IllegalStateException(
          "ours answered 200 but flagged only %d of %d meetings"
              .formatted(flagged, meetings.size()));
    }
  }

  /**
   * Forgets what the events of a turn left in Redis. It is not consumed here, and a store that
   * grows from turn to turn would make the later ones slower.
   */
  void sweep() {
    RedisCommands<String, String> redis = connection.sync();
    for (String pattern : List.of("convoke:events:*", "convoke:evidence:*")) {
      ScanArgs args = ScanArgs.Builder.matches(pattern).limit(SCAN);
      KeyScanCursor<String> cursor = redis.scan(ScanCursor.INITIAL, args);
      while (true) {
        if (!cursor.getKeys().isEmpty()) {
          long _ = redis.unlink(cursor.getKeys().toArray(String[]::new));
        }
        if (cursor.isFinished()) {
          break;
        }
        cursor = redis.scan(cursor, args);
      }
    }
  }

  /** The stores' versions, for the machine's line. */
  String versions() {
    String info = connection.sync().info("server");
    String redis =
        info.lines()
            .filter(line -> line.startsWith("redis_version:"))
            .map(line -> line.substring("redis_version:".length()))
            .findFirst()
            .orElse("?");
    return "Postgres " + localStores.postgres().version() + ", Redis " + redis;
  }

  @Override
  public void close() {
    candidates.forEach(ServerCandidate::close);
    connection.close();
    client.shutdown();
    localStores.close();
    orphanReaper.close();
  }

  /** A node with every role tracks the meetings and brings their rooms into the map, then goes. */
  private void track() {
    try (JavaProcess whole = JavaProcess.start(server("setup", "api,presence"), orphanReaper)) {
      ApiClient user = ApiClient.admin(whole.url(), adminToken).newUser("bench@example.com");
      rooms.forEach(room -> meetings.add(user.track(room)));
      long deadline = System.nanoTime() + MAPPED_MAX_NANOS;
      while (connection.sync().hlen("convoke:rooms") < rooms.size()) {
        if (System.nanoTime() - deadline > 0) {
          throw new IllegalStateException("the tracked meetings did not reach the map of rooms");
        }
        LockSupport.parkNanos(20_000_000);
      }
    }
  }

  private void launch(JavaProgramSpec program) {
    candidates.add(new ServerCandidate(program.name(), JavaProcess.start(program, orphanReaper)));
  }

  private JavaProgramSpec server(String name, String roles) {
    return JavaProgramSpec.server(
            name,
            List.of(
                "serve",
                "--port",
                "0",
                "--roles",
                roles,
                "--data",
                folder.resolve(name).toString()),
            settings,
            folder.resolve(name + ".log"))
        .withFlags(HEAP);
  }

  private JavaProgramSpec reference(String name) {
    return new JavaProgramSpec(
        name,
        WebhookReferenceServer.class.getName(),
        List.of(name),
        Map.of(
            WebhookReferenceServer.REDIS_URL,
            localStores.redis().url(),
            WebhookReferenceServer.SECRET,
            secret),
        HEAP,
        folder.resolve(name + ".log"));
  }

  private static String randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }
}
