package io.convoke.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.sim.webhook.Signature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Registering a webhook: one per domain, tested with a signed ping when made or changed. */
final class WebhookRegistrationTest {

  private static final String KEY =
      Base64.getEncoder().encodeToString("secret".getBytes(StandardCharsets.UTF_8));

  private final Simulator sim = Simulator.start(SimulatorOptions.defaults());
  private final Client client = new Client(sim);
  private Inbox inbox;

  @BeforeEach
  void open() throws IOException {
    inbox = new Inbox();
  }

  @AfterEach
  void stop() {
    client.close();
    sim.close();
    inbox.close();
  }

  @Test
  void creationSendsASignedTestAndAnswersTheWebhook() {
    Client.Reply made = client.post("/v1/webhooks", request());

    assertThat(made.status()).isEqualTo(200);
    assertThat(RoomsApiTest.keys(made.body()))
        .containsExactly(
            "uuid",
            "url",
            "hmac",
            "basicAuth",
            "retryType",
            "eventTypes",
            "state",
            "failedCount",
            "lastMomentPushed",
            "domainId",
            "createdAt",
            "updatedAt");
    assertThat(made.body().path("state").stringValue()).isEqualTo("ACTIVE");
    assertThat(made.body().path("retryType").stringValue()).isEqualTo("circuit-breaker");
    Inbox.Mail test = inbox.mails().getFirst();
    assertThat(test.raw()).isEqualTo("{\"test\":\"test\"}");
    assertThat(test.signature())
        .isEqualTo(
            Signature.sign(KEY, test.timestamp(), test.raw().getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void anAddressThatDoesNotAnswer200IsRefused() {
    inbox.answer(204);
    assertThat(client.post("/v1/webhooks", request()).error()).isEqualTo("invalid-request-error");
    inbox.answer(500);
    assertThat(client.post("/v1/webhooks", request()).status()).isEqualTo(400);
    assertThat(client.get("/v1/webhooks").body().size()).isZero();
  }

  @Test
  void aDomainHasOneWebhook() {
    String uuid = client.post("/v1/webhooks", request()).body().path("uuid").stringValue();
    assertThat(client.post("/v1/webhooks", request()).status()).isEqualTo(400);
    assertThat(client.get("/v1/webhooks").body().size()).isEqualTo(1);
    assertThat(client.get("/v1/webhooks/" + uuid).status()).isEqualTo(200);

    assertThat(client.delete("/v1/webhooks/" + uuid).status()).isEqualTo(200);
    assertThat(client.get("/v1/webhooks/" + uuid).status()).isEqualTo(404);
    assertThat(client.post("/v1/webhooks", request()).status()).isEqualTo(200);
  }

  @Test
  void withoutAKeyOneIsMade() {
    JsonNode made = client.post("/v1/webhooks", "{\"url\":\"" + inbox.url() + "\"}").body();
    assertThat(Base64.getDecoder().decode(made.path("hmac").stringValue())).hasSize(32);
  }

  @Test
  void anUpdateKeepsWhatItDoesNotNameAndIsTestedToo() {
    String uuid = client.post("/v1/webhooks", request()).body().path("uuid").stringValue();
    JsonNode updated =
        client
            .post("/v1/webhooks/" + uuid, "{\"retryType\":\"exponential\",\"basicAuth\":\"dTpw\"}")
            .body();

    assertThat(updated.path("retryType").stringValue()).isEqualTo("exponential");
    assertThat(updated.path("hmac").stringValue()).isEqualTo(KEY);
    assertThat(inbox.mails()).hasSize(2);
    assertThat(inbox.mails().getLast().authorization()).isEqualTo("Basic dTpw");
    assertThat(client.post("/v1/webhooks/none", "{}").status()).isEqualTo(404);
  }

  @Test
  void whatMakesNoSenseIsRefusedBeforeAnythingIsSent() {
    for (String body :
        new String[] {
          "{}",
          "{\"url\":\"ftp://x\"}",
          "{\"url\":\"" + inbox.url() + "\",\"hmac\":\"not base64!\"}",
          "{\"url\":\"" + inbox.url() + "\",\"retryType\":\"never\"}",
          "{\"url\":\"" + inbox.url() + "\",\"eventTypes\":\"all\"}"
        }) {
      assertThat(client.post("/v1/webhooks", body).error())
          .as(body)
          .isEqualTo("invalid-request-error");
    }
    assertThat(inbox.mails()).isEmpty();
  }

  private String request() {
    return "{\"url\":\"" + inbox.url() + "\",\"hmac\":\"" + KEY + "\"}";
  }
}
