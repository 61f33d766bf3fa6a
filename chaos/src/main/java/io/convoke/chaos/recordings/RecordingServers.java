package io.convoke.chaos.recordings;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ServerCluster;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The server processes of one run, which ingest and process recordings over one blob store. */
final class RecordingServers implements AutoCloseable {
  private final String adminToken = ServerCluster.randomKey();
  private final String webhookSecret = ServerCluster.randomKey();
  private final Path blobs;
  private final ServerCluster cluster;

  RecordingServers(ChaosEnvironment environment, Path folder, int number) {
    this.blobs = folder.resolve("blobs");
    this.cluster = new ServerCluster(environment, folder, number);
  }

  /** Starts all. */
  void start(
      Simulator platform,
      FakeCrm crm,
      String crmSecret,
      FakeTranscriber transcriber,
      boolean unlisted) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_DAILY_API_URL", platform.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", platform.apiKey());
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", webhookSecret);
    settings.put("CONVOKE_RECORDING_POLL_INTERVAL", unlisted ? "1h" : "2s");
    settings.put("CONVOKE_BLOB_STORE", "file:" + blobs);
    settings.put("CONVOKE_TRANSCRIBER", "command:" + transcriber.command());
    settings.put("CONVOKE_CRM_URL", crm.notesUrl().toString());
    settings.put("CONVOKE_CRM_SECRET", crmSecret);
    settings.put("CONVOKE_RATE_LIMIT", "10000");
    cluster.start("api,recordings,durable,sync", settings);
  }

  ServerCluster cluster() {
    return cluster;
  }

  List<Integer> all() {
    return IntStream.range(0, cluster.number()).boxed().toList();
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

  String database() {
    return cluster.database();
  }

  /** Folder of the blob store. */
  Path blobs() {
    return blobs;
  }

  @Override
  public void close() {
    cluster.close();
  }
}
