package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Servers;
import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.sim.Simulator;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** The real servers of one run, which find recordings and work on them, over one blob store. */
final class Fleet implements AutoCloseable {
  private final String adminToken = Servers.randomKey();
  private final String webhookSecret = Servers.randomKey();
  private final Path blobs;
  private final Servers servers;

  Fleet(Ground ground, Path folder, int number) {
    this.blobs = folder.resolve("blobs");
    this.servers = new Servers(ground, folder, number);
  }

  /** Starts all. */
  void start(Simulator platform, CrmStandIn crm, String crmSecret, Ear ear, boolean unlisted) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_DAILY_API_URL", platform.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", platform.apiKey());
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", webhookSecret);
    settings.put("CONVOKE_RECORDING_POLL_INTERVAL", unlisted ? "1h" : "2s");
    settings.put("CONVOKE_BLOB_STORE", "file:" + blobs);
    settings.put("CONVOKE_TRANSCRIBER", "command:" + ear.command());
    settings.put("CONVOKE_CRM_URL", crm.notesUrl().toString());
    settings.put("CONVOKE_CRM_SECRET", crmSecret);
    settings.put("CONVOKE_RATE_LIMIT", "10000");
    servers.start("api,recordings,durable,sync", settings);
  }

  /** Kills these, waits for what is done meanwhile, and starts them again side by side. */
  void down(List<Integer> numbers, Runnable meanwhile) {
    numbers.forEach(servers::kill);
    meanwhile.run();
    List<CompletableFuture<Void>> starts =
        numbers.stream()
            .map(
                server ->
                    CompletableFuture.runAsync(
                        () -> servers.restart(server), Thread.ofPlatform()::start))
            .toList();
    starts.forEach(CompletableFuture::join);
  }

  List<Integer> all() {
    return IntStream.range(0, servers.number()).boxed().toList();
  }

  List<URI> urls() {
    return servers.urls();
  }

  /** Where the platform sends its events: to the first server. */
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
    return servers.database();
  }

  /** The folder of the blob store. */
  Path blobs() {
    return blobs;
  }

  @Override
  public void close() {
    servers.close();
  }
}
