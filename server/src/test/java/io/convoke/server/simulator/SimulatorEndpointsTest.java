package io.convoke.server.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.server.App;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.NodeRole;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.LocalStores;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A server with the real simulator attached, with one that is none, and without any. */
class SimulatorEndpointsTest {
  private static final String ADMIN = "the-admins-token";
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private static Path folder;
  private static Simulator simulator;
  private static App app;
  private static ContractClient admin;

  @BeforeAll
  static void start() {
    simulator = Simulator.start(SimulatorConfig.defaults().withSeed(42).withSpeed(2));
    app =
        App.start(
            config(Map.of("CONVOKE_SIM_URL", simulator.url().toString())),
            EnumSet.allOf(NodeRole.class),
            folder);
    admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
  }

  @AfterAll
  static void stop() {
    app.close();
    simulator.close();
  }

  private static ServerConfig config(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", MigratedDatabase.url());
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().ownRedis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_DAILY_API_URL", simulator.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", simulator.apiKey());
    settings.put("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "2s");
    // The test asks again and again.
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    settings.putAll(more);
    return ServerConfig.of(settings);
  }

  @Test
  void itShowsTheScenarioAndSetsFaults() {
    JsonNode state = admin.get("/simulator").expect(200).json();
    assertThat(state.path("scenario").asString()).isEqualTo("none");
    assertThat(state.path("seed").asLong()).isEqualTo(42);
    assertThat(state.path("speed").asDouble()).isEqualTo(2);
    assertThat(state.path("faults").findValuesAsString("kind")).hasSize(FaultKind.values().length);

    JsonNode after =
        admin
            .patch(
                "/simulator/faults",
                Map.of("link_expired", 0.25, "api_slow", Map.of("probability", 0.5, "amount_s", 3)))
            .expect(200)
            .json();
    assertThat(simulator.faults().get(FaultKind.LINK_EXPIRED).probability()).isEqualTo(0.25);
    assertThat(simulator.faults().get(FaultKind.API_SLOW))
        .isEqualTo(FaultSetting.of(0.5).lasting(Duration.ofSeconds(3)));
    JsonNode slow =
        after
            .path("faults")
            .valueStream()
            .filter(fault -> fault.path("kind").asString().equals("api_slow"))
            .findFirst()
            .orElseThrow();
    assertThat(slow.path("amount_s").asDouble()).isEqualTo(3);
    assertThat(slow.path("lasting").asBoolean()).isTrue();

    admin.delete("/simulator/faults").expect(200);
    assertThat(simulator.faults().get(FaultKind.API_SLOW)).isEqualTo(FaultSetting.NEVER);
    admin.patch("/simulator/faults", Map.of("gremlins", 0.5)).expect(400, "bad_request");
    admin.patch("/simulator/faults", Map.of("api_slow", 2)).expect(400, "bad_request");
  }

  @Test
  void aMissingParticipantSettlesAndThenHolds() {
    ContractClient user = user("ada@example.org");
    simulator.world().ensure(RoomRequest.named("stand-up"));
    user.post("/meetings", Map.of("platform", "daily", "native_meeting_id", "stand-up"))
        .expect(201);
    admin.patch("/simulator/faults", Map.of("api_500", 1)).expect(200);
    var _ = simulator.world().join("stand-up", Visitor.named("Ada"));

    JsonNode missing = until("present_are_known", it -> it.path("differing").asInt() == 1);
    assertThat(missing.path("standing").asString()).isNotEqualTo("holds");
    assertThat(missing.path("examples").path(0).asString()).isEqualTo("Ada in stand-up");
    assertThat(missing.path("since").isString()).isTrue();

    admin.delete("/simulator/faults").expect(200);
    JsonNode known =
        until("present_are_known", it -> it.path("standing").asString().equals("holds"));
    assertThat(known.path("checked").asInt()).isEqualTo(1);
    assertThat(known.path("differing").asInt()).isZero();
  }

  @Test
  void onlyTheOperatorHasAccess() {
    user("bob@example.org").get("/simulator").expect(403);
    user("bob@example.org").get("/simulator/invariants").expect(403);
    ContractClient.of(app.url()).patch("/simulator/faults", Map.of("api_500", 1)).expect(401);
  }

  @Test
  void theHealthReportListsTheSimulator() {
    assertThat(admin.get("/readyz?verbose").expect(200).json().path("components"))
        .anyMatch(component -> component.path("name").asString().equals("simulator"));
  }

  @Test
  void withoutTheSettingTheEndpointsAre404(@TempDir Path other) {
    try (App plain = App.start(config(Map.of()), Set.of(NodeRole.API), other)) {
      ContractClient its = ContractClient.of(plain.url()).with("X-Admin-API-Key", ADMIN);
      its.get("/simulator").expect(404);
      its.get("/simulator/invariants").expect(404);
      its.patch("/simulator/faults", Map.of("api_500", 1)).expect(404);
      assertThat(its.get("/readyz?verbose").expect(200).json().path("components"))
          .noneMatch(component -> component.path("name").asString().equals("simulator"));
    }
  }

  @Test
  void anUnreachableOrWrongSimulatorIsA503(@TempDir Path other) throws Exception {
    HttpServer impostor =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    impostor.createContext(
        "/",
        call -> {
          byte[] page = "<h1>It works</h1>".getBytes(StandardCharsets.UTF_8);
          call.sendResponseHeaders(200, page.length);
          call.getResponseBody().write(page);
          call.close();
        });
    impostor.start();
    String url = "http://127.0.0.1:" + impostor.getAddress().getPort();
    try (App app = App.start(config(Map.of("CONVOKE_SIM_URL", url)), Set.of(NodeRole.API), other)) {
      ContractClient its = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
      its.get("/simulator").expect(503, "simulator_unreadable");
      its.get("/simulator/invariants").expect(503, "simulator_unreadable");
      impostor.stop(0);
      its.get("/simulator").expect(503, "simulator_away");
      its.get("/simulator/invariants").expect(503, "simulator_away");
      its.patch("/simulator/faults", Map.of("api_500", 1)).expect(503, "simulator_away");
      its.delete("/simulator/faults").expect(503, "simulator_away");
    }
  }

  private static ContractClient user(String email) {
    long id = admin.post("/admin/users", Map.of("email", email)).json().path("id").asLong();
    String key =
        admin
            .post("/admin/users/" + id + "/tokens", Map.of())
            .expect(201)
            .json()
            .path("token")
            .asString();
    return ContractClient.of(app.url()).with("X-API-Key", key);
  }

  private static JsonNode until(String name, Predicate<JsonNode> fits) {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (true) {
      JsonNode all = admin.get("/simulator/invariants").expect(200).json();
      for (JsonNode each : all.path("invariants")) {
        if (each.path("name").asString().equals(name) && fits.test(each)) {
          return each;
        }
      }
      assertThat(System.nanoTime() - deadline).as(all.toString()).isNegative();
      LockSupport.parkNanos(10_000_000);
    }
  }
}
