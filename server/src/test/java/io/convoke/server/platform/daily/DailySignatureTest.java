package io.convoke.server.platform.daily;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.webhook.WebhookSignature;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DailySignatureTest {
  private static final Instant NOW = Instant.parse("2026-03-02T09:00:00Z");
  private static final String OLD = "b2xkLXNlY3JldA==";
  private static final String NEW = "bmV3LXNlY3JldA==";
  private static final byte[] BODY = "{\"test\":\"test\"}".getBytes(StandardCharsets.UTF_8);
  private static final String SECONDS = Long.toString(NOW.getEpochSecond());

  private static boolean accepts(String secrets, String signature, String timestamp, byte[] body) {
    return DailySignature.of(secrets)
        .verifies(Optional.of(signature), Optional.of(timestamp), body, NOW);
  }

  @Test
  void theSignatureIsOverTimestampDotBody() {
    assertThat(DailySignature.of(OLD).sign("1772442000", BODY))
        .isEqualTo(WebhookSignature.sign(OLD, "1772442000", BODY));
    assertThat(accepts(OLD, DailySignature.of(OLD).sign(SECONDS, BODY), SECONDS, BODY)).isTrue();
  }

  @Test
  void bothSecretsCountWhileRotating() {
    String byOld = DailySignature.of(OLD).sign(SECONDS, BODY);
    assertThat(accepts(NEW + ", " + OLD, byOld, SECONDS, BODY)).isTrue();
    assertThat(accepts(NEW, byOld, SECONDS, BODY)).isFalse();
    assertThat(accepts(NEW + ",\n" + OLD + ",\n", byOld, SECONDS, BODY)).isTrue();
    for (String none : List.of("", " ", ",", "\n")) {
      assertThatThrownBy(() -> DailySignature.of(none))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("the Daily webhook secret is empty");
    }
  }

  private static boolean acceptsAt(Instant now, long timestamp) {
    String text = Long.toString(timestamp);
    DailySignature signature = DailySignature.of(OLD);
    return signature.verifies(
        Optional.of(signature.sign(text, BODY)), Optional.of(text), BODY, now);
  }

  @Test
  void aTimestampThatAsSecondsWouldBeAfterTheYear5138CountsMilliseconds() {
    long last = 100_000_000_000L;
    assertThat(acceptsAt(Instant.ofEpochSecond(last), last)).isTrue();
    assertThat(acceptsAt(Instant.ofEpochMilli(last), last)).isFalse();
    assertThat(acceptsAt(Instant.ofEpochMilli(last + 1), last + 1)).isTrue();
    assertThat(acceptsAt(Instant.ofEpochSecond(last + 1), last + 1)).isFalse();
  }

  @Test
  void timestampsMayCountSecondsOrMilliseconds() {
    String millis = Long.toString(NOW.toEpochMilli());
    assertThat(accepts(OLD, DailySignature.of(OLD).sign(millis, BODY), millis, BODY)).isTrue();
  }

  @Test
  void anythingElseIsRefused() {
    DailySignature signature = DailySignature.of(OLD);
    String good = signature.sign(SECONDS, BODY);
    assertThat(accepts(OLD, good, SECONDS, "{}".getBytes(StandardCharsets.UTF_8))).isFalse();
    assertThat(accepts(OLD, good + "x", SECONDS, BODY)).isFalse();
    assertThat(accepts(OLD, "", SECONDS, BODY)).isFalse();
    assertThat(accepts(OLD, signature.sign("soon", BODY), "soon", BODY)).isFalse();
    assertThat(accepts(OLD, good, "soon", BODY)).isFalse();
    assertThat(accepts(OLD, signature.sign("NaN", BODY), "NaN", BODY)).isFalse();
    assertThat(signature.verifies(Optional.empty(), Optional.of(SECONDS), BODY, NOW)).isFalse();
    assertThat(signature.verifies(Optional.of(good), Optional.empty(), BODY, NOW)).isFalse();
  }

  @Test
  void aReplayIsRefusedOutsideTheWindow() {
    String old = Long.toString(NOW.minus(DailySignature.REPLAY_WINDOW).getEpochSecond() - 1);
    assertThat(accepts(OLD, DailySignature.of(OLD).sign(old, BODY), old, BODY)).isFalse();
    long now = NOW.toEpochMilli();
    long window = DailySignature.REPLAY_WINDOW.toMillis();
    assertThat(acceptsAt(NOW, now - window)).isTrue();
    assertThat(acceptsAt(NOW, now + window)).isTrue();
    assertThat(acceptsAt(NOW, now - window - 1)).isFalse();
    assertThat(acceptsAt(NOW, now + window + 1)).isFalse();
  }

  @Test
  void aSecretThatIsNotBase64IsAFaultThatDoesNotShowIt() {
    assertThatThrownBy(() -> DailySignature.of("not base64!"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("not base64!");
  }
}
