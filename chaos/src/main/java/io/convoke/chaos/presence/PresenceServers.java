package io.convoke.chaos.presence;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ServerCluster;
import io.convoke.simulator.Simulator;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The server processes of one run, which track presence. */
final class PresenceServers implements AutoCloseable {
  private final String adminToken = ServerCluster.randomKey();
  private final String webhookSecret = ServerCluster.randomKey();
  private final ServerCluster cluster;

  PresenceServers(ChaosEnvironment environment, Path folder, int number) {
    this.cluster = new ServerCluster(environment, folder, number);
  }

  /** Starts all. */
  void start(Simulator platform) {
    cluster.start("api,presence", settings(platform));
  }

  /** Number of fenced writes of stale epochs, counted in the servers' logs. */
  long staleWritesRefused() throws IOException {
    long refused = 0;
    for (int i = 0; i < cluster.number(); i++) {
      try (Stream<String> lines = Files.lines(cluster.log(i))) {
        refused += lines.filter(line -> line.contains("refused a stale write")).count();
      }
    }
    return refused;
  }

  ServerCluster cluster() {
    return cluster;
  }

  List<URI> urls() {
    return cluster.urls();
  }

  /** Webhook URL of the platform: the first server's. */
  URI webhookUrl() {
    return urls().getFirst().resolve("/webhooks/daily");
  }

  String webhookSecret() {
    return webhookSecret;
  }

  String adminToken() {
    return adminToken;
  }

  /** Database name, for queries. */
  String database() {
    return cluster.database();
  }

  @Override
  public void close() {
    cluster.close();
  }

  private Map<String, String> settings(Simulator platform) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_DAILY_API_URL", platform.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", platform.apiKey());
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", webhookSecret);
    settings.put(
        "CONVOKE_PRESENCE_RECONCILE_INTERVAL", PresenceRunConfig.RECONCILE.toMillis() + "ms");
    settings.put("CONVOKE_PRESENCE_COALESCE_WINDOW", "300ms");
    settings.put("CONVOKE_PRESENCE_MIN_POLL_INTERVAL", "300ms");
    settings.put("CONVOKE_MEETING_PROCESS_INTERVAL", "2s");
    settings.put("CONVOKE_RATE_LIMIT", "10000");
    return settings;
  }
}
