package io.convoke.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.convoke.client.WebhookVerifier.WebhookRefusal;
import io.convoke.client.WebhookVerifier.WebhookRefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class WebhookVerifierTest {
  /** The example of Standard Webhooks, which its libraries test too. */
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  private static final String AT = "1614265330";
  private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(UTF_8);
  private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
  private static final String OTHER = "whsec_b3RoZXItc2VjcmV0LW90aGVyLXNlY3JldA==";
  private static final Instant NOW = Instant.ofEpochSecond(Long.parseLong(AT));

  private static WebhookRefusal refused(
      WebhookVerifier verifier, String at, String signature, byte[] body, Instant now) {
    return catchThrowableOfType(
            WebhookRefusedException.class, () -> verifier.verify(ID, at, signature, body, now))
        .reason();
  }

  @Test
  void theExampleOfTheStandardIsValidForFiveMinutes() {
    WebhookVerifier verifier = WebhookVerifier.of(SECRET);
    for (int seconds : new int[] {0, 300, -300}) {
      assertThatCode(() -> verifier.verify(ID, AT, SIGNATURE, BODY, NOW.plusSeconds(seconds)))
          .doesNotThrowAnyException();
    }
    assertThat(refused(verifier, AT, SIGNATURE, BODY, NOW.plusSeconds(301)))
        .isEqualTo(WebhookRefusal.TIMESTAMP);
    assertThat(refused(verifier, AT, SIGNATURE, BODY, NOW.minusSeconds(301)))
        .isEqualTo(WebhookRefusal.TIMESTAMP);
    assertThat(refused(verifier, "now", SIGNATURE, BODY, NOW)).isEqualTo(WebhookRefusal.TIMESTAMP);
    assertThat(refused(verifier, "1614265331", SIGNATURE, BODY, NOW))
        .isEqualTo(WebhookRefusal.SIGNATURE);
    assertThat(refused(verifier, AT, SIGNATURE, "{}".getBytes(UTF_8), NOW))
        .isEqualTo(WebhookRefusal.SIGNATURE);
    assertThat(refused(verifier, AT, "", BODY, NOW)).isEqualTo(WebhookRefusal.SIGNATURE);
    assertThat(refused(verifier, AT, SIGNATURE.replace("v1", "v2"), BODY, NOW))
        .isEqualTo(WebhookRefusal.SIGNATURE);
  }

  @Test
  void aMessageIsJudgedByTheClockUnlessATimeIsGiven() {
    WebhookVerifier verifier = WebhookVerifier.of(SECRET);
    String today = Long.toString(Instant.now().getEpochSecond());
    assertThat(refusedNow(verifier, AT)).isEqualTo(WebhookRefusal.TIMESTAMP);
    assertThat(refusedNow(verifier, today)).isEqualTo(WebhookRefusal.SIGNATURE);
  }

  private static WebhookRefusal refusedNow(WebhookVerifier verifier, String at) {
    return catchThrowableOfType(
            WebhookRefusedException.class, () -> verifier.verify(ID, at, SIGNATURE, BODY))
        .reason();
  }

  @Test
  void oneOfSeveralSecretsAndSignaturesMustFit() {
    assertThatCode(
            () ->
                WebhookVerifier.of(OTHER, SECRET).verify(ID, AT, "v1,AAAA " + SIGNATURE, BODY, NOW))
        .doesNotThrowAnyException();
    assertThat(refused(WebhookVerifier.of(OTHER), AT, SIGNATURE, BODY, NOW))
        .isEqualTo(WebhookRefusal.SIGNATURE);
  }

  /** Messages that npm's standardwebhooks has judged; Python and TypeScript verify them too. */
  @Test
  void theMessagesOfAllLanguagesAreJudgedAlike() throws Exception {
    Path home = Path.of(System.getProperty("convoke.home", ".."));
    String vectors = Files.readString(home.resolve("clients/vectors/webhooks.json"));
    for (JsonNode vector : ApiJson.MAPPER.readTree(vectors)) {
      assertThat(authentic(vector))
          .as(vector.path("name").asString())
          .isEqualTo(vector.path("valid").asBoolean());
    }
  }

  private static boolean authentic(JsonNode vector) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Map.Entry<String, JsonNode> header : vector.path("headers").properties()) {
      headers.put(header.getKey(), header.getValue().asString());
    }
    try {
      WebhookVerifier.of(vector.path("secret").asString())
          .verify(
              headers.getOrDefault("webhook-id", ""),
              headers.getOrDefault("webhook-timestamp", ""),
              headers.getOrDefault("webhook-signature", ""),
              vector.path("body").asString().getBytes(UTF_8),
              Instant.ofEpochSecond(vector.path("now").asLong()));
      return true;
    } catch (WebhookRefusedException e) {
      return false;
    }
  }

  @Test
  void whatIsNoSecretIsNotShown() {
    assertThatThrownBy(() -> WebhookVerifier.of("whsec_not base64!"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("not base64!");
  }
}
