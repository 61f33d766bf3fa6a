package io.convoke.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Daily's errors for callers without a key, with a wrong one, and for what does not exist. */
final class AuthenticationTest {

  private final Simulator sim = Simulator.start(SimulatorOptions.defaults().withApiKey("right"));
  private final Client client = new Client(sim);

  @AfterEach
  void stop() {
    client.close();
    sim.close();
  }

  @Test
  void aMissingHeaderIs400() {
    try (Client nobody = new Client(sim.url(), Optional.empty())) {
      Client.Reply reply = nobody.get("/v1/presence");
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.error()).isEqualTo("authorization-header-error");
      assertThat(reply.body().path("info").asString("")).isNotEmpty();
    }
  }

  @Test
  void aWrongKeyIs401() {
    try (Client stranger = new Client(sim.url(), Optional.of("wrong"))) {
      Client.Reply reply = stranger.get("/v1/rooms");
      assertThat(reply.status()).isEqualTo(401);
      assertThat(reply.error()).isEqualTo("authentication-error");
    }
  }

  @Test
  void anotherSchemeIsAHeaderError() {
    try (Client nobody = new Client(sim.url(), Optional.empty())) {
      Client.Reply reply = nobody.send("GET", "/v1/rooms", "", "Authorization", "Basic cmlnaHQ=");
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.error()).isEqualTo("authorization-header-error");
    }
  }

  @Test
  void theRightKeyIsLetIn() {
    assertThat(client.get("/v1/presence").status()).isEqualTo(200);
  }

  @Test
  void whatDoesNotExistIs404() {
    assertThat(client.get("/v1/nowhere").error()).isEqualTo("not-found");
    assertThat(client.get("/v1/rooms/nobody").error()).isEqualTo("not-found");
    assertThat(client.get("/v1/rooms/nobody/presence").status()).isEqualTo(404);
    assertThat(client.get("/v1/meetings/none").status()).isEqualTo(404);
    assertThat(client.get("/v1/recordings/none").status()).isEqualTo(404);
  }

  @Test
  void brokenJsonIs400() {
    Client.Reply reply = client.post("/v1/rooms", "{\"name\":");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo("json-parsing-error");
  }

  @Test
  void requestsAreCountedByRouteAndStatus() {
    client.get("/v1/rooms/one/presence");
    client.get("/v1/rooms/two/presence");
    assertThat(sim.requests().count("GET /v1/rooms/{name}/presence")).isEqualTo(2);
    assertThat(sim.truth().requests().get("GET /v1/rooms/{name}/presence")).containsEntry(404, 2L);
  }
}
