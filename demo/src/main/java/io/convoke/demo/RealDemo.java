package io.convoke.demo;

import io.convoke.demo.DemoApiClient.DemoApiReply;
import io.convoke.fakes.janus.InstalledJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.ServerProcess;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The demo with real sound: a Janus of this machine, a server, a pod, and a room that is recorded.
 * People join it in their browsers on this machine; its transcript has their names.
 */
final class RealDemo implements AutoCloseable {
  private static final String ROOM = "demo";
  private static final String RECOGNISER = "pocketsphinx_continuous";

  /** Started processes, the last one first: the order of stopping. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final DemoConfig config;
  private final DemoSecrets secrets;
  private final InstalledJanus janus;
  private final ServerProcess server;
  private final String userKey;
  private final String transcriber;
  private final JsonNode room;
  private final long meeting;

  private RealDemo(DemoConfig config) {
    this.config = config;
    this.secrets = DemoSecrets.with(DemoEnvironment.secretKey(config.data()));
    this.transcriber = transcriber(config);
    LocalStores localStores = keep(LocalStores.open(config.data().resolve("stores")));
    int port = config.port() == 0 ? InstalledPrograms.freePort() : config.port();
    this.janus =
        keep(
            new InstalledJanus(
                config.data().resolve("janus"),
                URI.create("http://127.0.0.1:" + port + "/webhooks/janus")));
    OrphanReaper orphanReaper = keep(new OrphanReaper());
    this.server =
        keep(
            ServerProcess.start(
                orphanReaper,
                List.of("serve", "--data", config.data().toString()),
                settings(localStores, port),
                config.data().resolve("server.log")));
    JavaProcess _ =
        keep(
            JavaProcess.start(
                new JavaProgramSpec(
                    "pod",
                    "io.convoke.agent.ReferencePod",
                    List.of("--region", "local", "--slots", "2"),
                    podSettings(localStores),
                    List.of("-XX:TieredStopAtLevel=1"),
                    config.data().resolve("pod.log")),
                orphanReaper));
    this.userKey =
        DemoEnvironment.key(new DemoApiClient(server.url(), "X-Admin-API-Key", secrets.admin()));
    DemoApiClient user = new DemoApiClient(server.url(), "X-API-Key", userKey);
    this.room = good(user.post("/rooms", Map.of("name", ROOM, "record", true)));
    this.meeting =
        good(user.post("/meetings", Map.of("platform", "janus", "native_meeting_id", ROOM)))
            .path("id")
            .asLong();
  }

  /**
   * Starts all parts.
   *
   * @throws ChildProcessException if this machine has no Janus, or a part does not start
   */
  static RealDemo start(DemoConfig config) {
    InstalledJanus.obstacle()
        .ifPresent(
            why -> {
              throw new ChildProcessException(why);
            });
    try {
      Path _ = Files.createDirectories(recordings(config));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use the folder " + config.data(), e);
    }
    return new RealDemo(config);
  }

  /** Prints where to go. */
  void show() {
    System.out.println(
        """

        Convoke demo with real sound. Open the links in two browsers of this machine, and talk.

          host         %1$s
          guest        %2$s
          console      %3$s/#key=%4$s
          API key      %4$s      (X-API-Key)
          transcript   GET %3$s/transcripts/%5$d
                       some 90 s after the last one left, by %6$s
          recordings   %7$s
          logs         %8$s

        One MP4 of the room, until you stop the task:

          curl -H 'X-API-Key: %4$s' -H 'Content-Type: application/json' %3$s/tasks -d '{
            "request_id": "film", "type": "egress", "action": "start", "channel": "%9$s",
            "payload": {"kind": "record", "access_token": "%10$s"}}'

        Ctrl-C ends everything.
        """
            .formatted(
                room.path("links").path("host").asString(),
                room.path("links").path("guest").asString(),
                server.url(),
                userKey,
                meeting,
                transcriber,
                recordings(config),
                config.data().resolve("*.log"),
                ROOM,
                room.path("egress_token").asString()));
  }

  /** The room as the server answered it. */
  JsonNode room() {
    return room;
  }

  private static String transcriber(DemoConfig config) {
    return config
        .transcriber()
        .orElseGet(
            () ->
                DebianPackages.onPath(RECOGNISER).findAny().isPresent()
                    ? "command:" + RECOGNISER + " -logfn /dev/null -infile {audio}"
                    : "none");
  }

  private static Path recordings(DemoConfig config) {
    return config.data().resolve("recorded");
  }

  private Map<String, String> settings(LocalStores localStores, int port) {
    Map<String, String> settings = janusSettings();
    settings.put("CONVOKE_PORT", Integer.toString(port));
    settings.put("CONVOKE_DATABASE_URL", localStores.databaseUrl());
    settings.put("CONVOKE_REDIS_URL", localStores.redis().url());
    settings.put("CONVOKE_SECRET_KEY", secrets.secretKey());
    settings.put("CONVOKE_ADMIN_TOKEN", secrets.admin());
    settings.put("CONVOKE_JANUS_EVENT_SECRET", JanusServer.EVENT_PASSWORD);
    settings.put("CONVOKE_JANUS_URL", janus.clientUrl().toString());
    settings.put("CONVOKE_JANUS_API_SECRET", InstalledJanus.API_SECRET);
    settings.put("CONVOKE_JANUS_RECORDINGS", recordings(config).toString());
    settings.put("CONVOKE_PUBLIC_URL", "http://localhost:" + port);
    settings.put("CONVOKE_TRANSCRIBER", transcriber);
    settings.put("CONVOKE_LOG_FORMAT", "text");
    return settings;
  }

  private Map<String, String> podSettings(LocalStores localStores) {
    Map<String, String> settings = janusSettings();
    settings.put("CONVOKE_REDIS_URL", localStores.redis().url());
    settings.put("CONVOKE_SECRET_KEY", secrets.secretKey());
    settings.put("CONVOKE_BLOB_STORE", "file:" + config.data().resolve("blobs"));
    settings.put("CONVOKE_LOG_FORMAT", "text");
    return settings;
  }

  private Map<String, String> janusSettings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_JANUS_ADMIN_URL", janus.adminUrl().toString());
    settings.put("CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET);
    settings.put("CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY);
    return settings;
  }

  private static JsonNode good(DemoApiReply reply) {
    if (!reply.good()) {
      throw new ChildProcessException("the server refused: " + reply.body());
    }
    return reply.body();
  }

  private <T extends AutoCloseable> T keep(T part) {
    started.push(part);
    return part;
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
}
