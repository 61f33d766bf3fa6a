package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.json.Json;
import io.convoke.lab.stores.Stores;
import io.convoke.server.config.Config;
import io.convoke.server.http.ContractClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Law 13 from outside: endpoints of one user that never answer delay no other user's. */
class SilentEndpointsTest {
  private static final String ADMIN = "the-admins-token";
  private static final int SILENT = 50;
  private static final int EVENTS = 20;

  @TempDir private Path folder;
  private final LinkedBlockingQueue<JsonNode> delivered = new LinkedBlockingQueue<>();
  private final HttpServer answering = answering();
  private final ServerSocket silent = silent();

  @AfterEach
  void close() throws IOException {
    answering.stop(0);
    silent.close();
  }

  @Test
  void anotherUsersEventsArriveWithinASecond() throws Exception {
    try (App app = App.start(config(), EnumSet.allOf(Duty.class), folder)) {
      ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
      ContractClient mallory = user(admin, "mallory@example.org");
      ContractClient bob = user(admin, "bob@example.org");
      endpoint(bob, answering.getAddress().getPort(), "/hook");
      bob.post("/tasks", task("warm")).expect(202);
      await("task:warm");
      for (int i = 0; i < SILENT; i++) {
        endpoint(mallory, silent.getLocalPort(), "/" + i);
      }
      mallory.post("/tasks", task("m-first")).expect(202);
      mallory.post("/tasks", task("m-second")).expect(202);
      List<Long> millis = new ArrayList<>();
      for (int i = 0; i < EVENTS; i++) {
        mallory.post("/tasks", task("m-" + i)).expect(202);
        String id = "b-" + i;
        long begun = System.nanoTime();
        bob.post("/tasks", task(id)).expect(202);
        await("task:" + id);
        millis.add(Duration.ofNanos(System.nanoTime() - begun).toMillis());
      }
      Collections.sort(millis);
      assertThat(millis.get(EVENTS * 9 / 10)).as(millis.toString()).isLessThan(1_000);
      assertThat(millis.getLast()).isLessThan(3_000);
    }
  }

  private void await(String subject) throws InterruptedException {
    JsonNode message = delivered.poll(30, TimeUnit.SECONDS);
    while (message != null && !message.path("subject").asString().equals(subject)) {
      message = delivered.poll(30, TimeUnit.SECONDS);
    }
    assertThat(message).as("a message about " + subject).isNotNull();
  }

  private static void endpoint(ContractClient who, int port, String path) {
    who.post(
            "/webhook-endpoints",
            Map.of("url", "http://127.0.0.1:" + port + path, "types", List.of("task.pending")))
        .expect(201);
  }

  private static Map<String, Object> task(String id) {
    return Map.of(
        "id", id,
        "request_id", "req_" + id,
        "type", "snapshot",
        "action", "start",
        "channel", "meeting-room-alpha",
        "region", "us-east-1",
        "payload", Map.of());
  }

  private static ContractClient user(ContractClient admin, String email) {
    long id =
        admin.post("/admin/users", Map.of("email", email)).expect(201).json().path("id").asLong();
    String key =
        admin
            .post("/admin/users/" + id + "/tokens", Map.of())
            .expect(201)
            .json()
            .path("token")
            .asString();
    return ContractClient.of(admin.url()).with("X-API-Key", key);
  }

  private static Config config() {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", Stores.forTests().freshDatabase());
    settings.put("CONVOKE_REDIS_URL", Stores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_BOT_COMMAND", "exec sleep 30");
    settings.put("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true");
    return Config.of(settings);
  }

  /** The kernel takes connections for it, and nothing ever reads them. */
  private static ServerSocket silent() {
    try {
      return new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private HttpServer answering() {
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
