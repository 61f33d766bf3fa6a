package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.EventReader;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A task on its way through a fleet: taken in by a server that does nothing else, tended by
 * another, run by a pod, heard of by a stream and by a webhook of its owner's.
 */
class TasksEverywhereTest {
  private static final String ADMIN = "the-admins-token";
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private Path folder;
  private final EmbeddedRedis embeddedRedis = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(embeddedRedis.url());
  private final LinkedBlockingQueue<JsonNode> delivered = new LinkedBlockingQueue<>();
  private final HttpServer ear = ear();

  @AfterEach
  void close() {
    ear.stop(0);
    redis.close();
    embeddedRedis.close();
  }

  @Test
  void aTaskIsTakenInRunAndToldOfByDifferentServers() throws Exception {
    ServerConfig serverConfig = config();
    try (App api = App.start(serverConfig, Set.of(NodeRole.API), folder.resolve("api"));
        App worker =
            App.start(serverConfig, EnumSet.complementOf(EnumSet.of(NodeRole.API)), folder)) {
      ContractClient ann = user(api);
      ann.post(
              "/webhook-endpoints",
              Map.of(
                  "url",
                  "http://127.0.0.1:" + ear.getAddress().getPort() + "/hook",
                  "types",
                  List.of("task.success", "task.failed")))
          .expect(201);
      try (EventReader events = ann.events("/events");
          Pod _ =
              new Pod(
                  redis,
                  new PodId("pod-1", "us-east-1"),
                  2,
                  PodCapacity.COUNT_ONLY,
                  DispatchConfig.seed(),
                  run -> new AttemptOutcome.AttemptDone())) {
        ann.post("/tasks", task("a")).expect(202);
        List<String> heard = new ArrayList<>();
        while (heard.size() < 3) {
          EventReader.Event event = events.next(SOON);
          if (event.type().startsWith("task.")) {
            heard.add(event.type());
          }
        }
        assertThat(heard).containsExactly("task.pending", "task.processing", "task.success");
      }
      JsonNode message = delivered.poll(SOON.toSeconds(), TimeUnit.SECONDS);
      assertThat(message).isNotNull();
      assertThat(message.path("type").asString()).isEqualTo("task.success");
      assertThat(message.path("subject").asString()).isEqualTo("task:a");
      assertThat(message.path("data").path("task_id").asString()).isEqualTo("a");
      assertThat(message.toString()).doesNotContain("a-secret");

      ContractClient anybody = ContractClient.of(worker.url());
      assertThat(dispatchComponent(anybody)).isEqualTo("ok");
      assertThat(anybody.get("/metrics").expect(200).body())
          .contains(
              "convoke_dispatch_transitions_total{region=\"us-east-1\",state=\"success\"} 1.0");
      embeddedRedis.kill();
      assertThat(ann.post("/tasks", task("b")).expect(202).json().path("state").asString())
          .isEqualTo("PENDING");
      assertThat(dispatchComponent(ContractClient.of(api.url()))).isEqualTo("degraded");
    }
  }

  /** One server has lost Redis, another has not; none of them tends. */
  @Tag("nightly")
  @Test
  void aStopIsHeardAtOnceAlthoughTheServerThatWasAskedDoesNotReachRedis() throws Exception {
    Map<String, String> settings = settings();
    try (EmbeddedRedis lost = LocalStores.forTests().ownRedis();
        App near =
            App.start(ServerConfig.of(settings), Set.of(NodeRole.API), folder.resolve("near"))) {
      settings.put("CONVOKE_DISPATCH_REDIS_URL", lost.url());
      try (App cutOff =
          App.start(ServerConfig.of(settings), Set.of(NodeRole.API), folder.resolve("cut-off"))) {
        lost.kill();
        String key = key(near);
        ContractClient ann = ContractClient.of(near.url()).with("X-API-Key", key);
        ann.post("/tasks", task("a")).expect(202);
        ContractClient.of(cutOff.url()).with("X-API-Key", key).post("/tasks/a/stop").expect(202);
        long deadline = System.nanoTime() + SOON.toNanos();
        while (ann.get("/tasks/a").json().path("state").asString().equals("PENDING")) {
          assertThat(System.nanoTime()).isLessThan(deadline);
          LockSupport.parkNanos(10_000_000);
        }
        JsonNode a = ann.get("/tasks/a").expect(200).json();
        assertThat(a.path("state").asString()).isEqualTo("FAILED");
        assertThat(a.path("error").asString()).isEqualTo("stopped");
      }
    }
  }

  private static String dispatchComponent(ContractClient who) {
    return who.get("/readyz?verbose")
        .expect(200)
        .json()
        .path("components")
        .valueStream()
        .filter(component -> component.path("name").asString().equals("dispatch"))
        .findFirst()
        .orElseThrow()
        .path("status")
        .asString();
  }

  private static ContractClient user(App app) {
    return ContractClient.of(app.url()).with("X-API-Key", key(app));
  }

  private static String key(App app) {
    ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
    long id =
        admin
            .post("/admin/users", Map.of("email", "ann@example.org"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    return admin
        .post("/admin/users/" + id + "/tokens", Map.of())
        .expect(201)
        .json()
        .path("token")
        .asString();
  }

  private static Map<String, Object> task(String id) {
    return Map.of(
        "id",
        id,
        "request_id",
        "req_" + id,
        "type",
        "snapshot",
        "action",
        "start",
        "channel",
        "meeting-room-alpha",
        "region",
        "us-east-1",
        "payload",
        Map.of("access_token", "a-secret"));
  }

  private ServerConfig config() {
    return ServerConfig.of(settings());
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", MigratedDatabase.url());
    settings.put("CONVOKE_REDIS_URL", embeddedRedis.url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_BOT_COMMAND", "exec sleep 30");
    settings.put("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true");
    return settings;
  }

  private HttpServer ear() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
      server.createContext(
          "/hook",
          exchange -> {
            delivered.add(Json.read(exchange.getRequestBody().readAllBytes(), JsonNode.class));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
