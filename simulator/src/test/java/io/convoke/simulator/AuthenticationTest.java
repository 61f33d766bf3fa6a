package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Daily's errors for callers without a key, with a wrong one, and for missing resources. */
final class AuthenticationTest {

  private final Simulator sim = Simulator.start(SimulatorConfig.defaults().withApiKey("right"));
  private final SimulatorTestClient simulatorTestClient = new SimulatorTestClient(sim);

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
  }

  @Test
  void aMissingHeaderIs400() {
    try (SimulatorTestClient anonymous = new SimulatorTestClient(sim.url(), Optional.empty())) {
      SimulatorTestClient.Reply reply = anonymous.get("/v1/presence");
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.error()).isEqualTo("authorization-header-error");
      assertThat(reply.body().path("info").asString("")).isNotEmpty();
    }
  }

  @Test
  void aWrongKeyIs401() {
    try (SimulatorTestClient stranger = new SimulatorTestClient(sim.url(), Optional.of("wrong"))) {
      SimulatorTestClient.Reply reply = stranger.get("/v1/rooms");
      assertThat(reply.status()).isEqualTo(401);
      assertThat(reply.error()).isEqualTo("authentication-error");
    }
  }

  @Test
  void anotherSchemeIsAHeaderError() {
    try (SimulatorTestClient anonymous = new SimulatorTestClient(sim.url(), Optional.empty())) {
      SimulatorTestClient.Reply reply =
          anonymous.send("GET", "/v1/rooms", "", "Authorization", "Basic cmlnaHQ=");
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.error()).isEqualTo("authorization-header-error");
    }
  }

  @Test
  void theRightKeyIsLetIn() {
    assertThat(simulatorTestClient.get("/v1/presence").status()).isEqualTo(200);
  }

  @Test
  void missingResourcesAre404() {
    assertThat(simulatorTestClient.get("/v1/nowhere").error()).isEqualTo("not-found");
    assertThat(simulatorTestClient.get("/v1/rooms/nobody").error()).isEqualTo("not-found");
    assertThat(simulatorTestClient.get("/v1/rooms/nobody/presence").status()).isEqualTo(404);
    assertThat(simulatorTestClient.get("/v1/meetings/none").status()).isEqualTo(404);
    assertThat(simulatorTestClient.get("/v1/recordings/none").status()).isEqualTo(404);
  }

  @Test
  void brokenJsonIs400() {
    SimulatorTestClient.Reply reply = simulatorTestClient.post("/v1/rooms", "{\"name\":");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo("json-parsing-error");
  }

  @Test
  void requestsAreCountedByRouteAndStatus() {
    simulatorTestClient.get("/v1/rooms/one/presence");
    simulatorTestClient.get("/v1/rooms/two/presence");
    assertThat(sim.requests().count("GET /v1/rooms/{name}/presence")).isEqualTo(2);
    assertThat(sim.truth().requests().get("GET /v1/rooms/{name}/presence")).containsEntry(404, 2L);
  }
}
