package io.convoke.bench.webhooks;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.load.ServerCandidate;
import io.convoke.fakes.client.ApiClient;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The three servers of the webhooks benchmark and the meetings that they track. */
final class WebhookServers {
  static final String BARE = "bare";
  static final String NAIVE = "naive";
  static final String OURS = "ours";

  private static final Duration MAPPED_MAX = Duration.ofSeconds(30);
  private static final int SCAN = 1000;

  private final BenchEnvironment environment;
  private final Map<String, String> settings;
  private final List<String> rooms;
  private final List<Long> meetings = new ArrayList<>();
  private final List<ServerCandidate> candidates;

  /** Tracks the meetings and starts the servers. */
  WebhookServers(BenchEnvironment environment, int number) {
    this.environment = environment;
    this.rooms = IntStream.range(0, number).mapToObj(i -> "bench-room-" + i).toList();
    this.settings =
        Map.of(
            "CONVOKE_DAILY_WEBHOOK_SECRET", environment.webhookSecret(),
            "CONVOKE_DAILY_API_KEY", "unused",
            // Unused: a node with the role api alone never polls.
            "CONVOKE_DAILY_API_URL", "http://127.0.0.1:9/v1");
    track();
    this.candidates =
        List.of(reference(BARE), reference(NAIVE), environment.startServer(OURS, "api", settings));
  }

  List<ServerCandidate> candidates() {
    return candidates;
  }

  SignedEvents events() {
    return new SignedEvents(rooms, environment.webhookSecret());
  }

  int meetings() {
    return meetings.size();
  }

  /** Fails unless each meeting has its flag; removes the flags for the next turn. */
  void requireFlags() {
    String[] flags =
        meetings.stream().map(id -> "meeting_poll_requested:" + id).toArray(String[]::new);
    long flagged = environment.redis().del(flags);
    if (flagged != meetings.size()) {
      throw new IllegalStateException(
          "ours answered 200 but flagged only %d of %d meetings"
              .formatted(flagged, meetings.size()));
    }
  }

  /**
   * Deletes what the events of a turn left in Redis. No worker consumes it here, and a store that
   * grows from turn to turn would make the later ones slower.
   */
  void sweep() {
    RedisCommands<String, String> redis = environment.redis();
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

  /**
   * Tracks the meetings on a node with every role until the map has their rooms; stops the node.
   */
  private void track() {
    try (ServerCandidate setup = environment.startServer("setup", "api,presence", settings)) {
      ApiClient user =
          ApiClient.admin(setup.url(), environment.adminToken()).newUser("bench@example.com");
      rooms.forEach(room -> meetings.add(user.track(room)));
      BenchEnvironment.await(
          "the map of rooms",
          MAPPED_MAX,
          () -> environment.redis().hlen("convoke:rooms") >= rooms.size());
    }
  }

  private ServerCandidate reference(String name) {
    return environment.startReference(
        name,
        WebhookReferenceServer.class,
        Map.of(
            WebhookReferenceServer.REDIS_URL, environment.redisUrl(),
            WebhookReferenceServer.SECRET, environment.webhookSecret()));
  }
}
