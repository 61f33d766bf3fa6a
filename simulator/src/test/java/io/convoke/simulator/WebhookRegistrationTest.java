package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.webhook.WebhookSignature;
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

  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());
  private final SimulatorTestClient simulatorTestClient = new SimulatorTestClient(sim);
  private WebhookReceiver webhookReceiver;

  @BeforeEach
  void open() throws IOException {
    webhookReceiver = new WebhookReceiver();
  }

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
    webhookReceiver.close();
  }

  @Test
  void creationSendsASignedTestAndAnswersTheWebhook() {
    SimulatorTestClient.Reply made = simulatorTestClient.post("/v1/webhooks", request());

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
    WebhookReceiver.Mail test = webhookReceiver.mails().getFirst();
    assertThat(test.raw()).isEqualTo("{\"test\":\"test\"}");
    assertThat(test.signature())
        .isEqualTo(
            WebhookSignature.sign(
                KEY, test.timestamp(), test.raw().getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void anAddressThatDoesNotAnswer200IsRefused() {
    webhookReceiver.answer(204);
    assertThat(simulatorTestClient.post("/v1/webhooks", request()).error())
        .isEqualTo("invalid-request-error");
    webhookReceiver.answer(500);
    assertThat(simulatorTestClient.post("/v1/webhooks", request()).status()).isEqualTo(400);
    assertThat(simulatorTestClient.get("/v1/webhooks").body().size()).isZero();
  }

  @Test
  void aDomainHasOneWebhook() {
    String uuid =
        simulatorTestClient.post("/v1/webhooks", request()).body().path("uuid").stringValue();
    assertThat(simulatorTestClient.post("/v1/webhooks", request()).status()).isEqualTo(400);
    assertThat(simulatorTestClient.get("/v1/webhooks").body().size()).isEqualTo(1);
    assertThat(simulatorTestClient.get("/v1/webhooks/" + uuid).status()).isEqualTo(200);

    assertThat(simulatorTestClient.delete("/v1/webhooks/" + uuid).status()).isEqualTo(200);
    assertThat(simulatorTestClient.get("/v1/webhooks/" + uuid).status()).isEqualTo(404);
    assertThat(simulatorTestClient.post("/v1/webhooks", request()).status()).isEqualTo(200);
  }

  @Test
  void withoutAKeyOneIsMade() {
    JsonNode made =
        simulatorTestClient
            .post("/v1/webhooks", "{\"url\":\"" + webhookReceiver.url() + "\"}")
            .body();
    assertThat(Base64.getDecoder().decode(made.path("hmac").stringValue())).hasSize(32);
  }

  @Test
  void anUpdateKeepsAbsentFieldsAndIsTestedToo() {
    String uuid =
        simulatorTestClient.post("/v1/webhooks", request()).body().path("uuid").stringValue();
    JsonNode updated =
        simulatorTestClient
            .post("/v1/webhooks/" + uuid, "{\"retryType\":\"exponential\",\"basicAuth\":\"dTpw\"}")
            .body();

    assertThat(updated.path("retryType").stringValue()).isEqualTo("exponential");
    assertThat(updated.path("hmac").stringValue()).isEqualTo(KEY);
    assertThat(webhookReceiver.mails()).hasSize(2);
    assertThat(webhookReceiver.mails().getLast().authorization()).isEqualTo("Basic dTpw");
    assertThat(simulatorTestClient.post("/v1/webhooks/none", "{}").status()).isEqualTo(404);
  }

  @Test
  void invalidRequestsAreRefusedBeforeAnythingIsSent() {
    for (String body :
        new String[] {
          "{}",
          "{\"url\":\"ftp://x\"}",
          "{\"url\":\"" + webhookReceiver.url() + "\",\"hmac\":\"not base64!\"}",
          "{\"url\":\"" + webhookReceiver.url() + "\",\"retryType\":\"never\"}",
          "{\"url\":\"" + webhookReceiver.url() + "\",\"eventTypes\":\"all\"}"
        }) {
      assertThat(simulatorTestClient.post("/v1/webhooks", body).error())
          .as(body)
          .isEqualTo("invalid-request-error");
    }
    assertThat(webhookReceiver.mails()).isEmpty();
  }

  private String request() {
    return "{\"url\":\"" + webhookReceiver.url() + "\",\"hmac\":\"" + KEY + "\"}";
  }
}
