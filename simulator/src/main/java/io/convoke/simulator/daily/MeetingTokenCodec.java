package io.convoke.simulator.daily;

import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.webhook.WebhookSignature;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Meeting tokens: a visitor's rights and name, signed by the platform. */
public final class MeetingTokenCodec {

  private final String key;

  public MeetingTokenCodec() {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    this.key = Base64.getEncoder().encodeToString(random);
  }

  String issue(Map<String, Object> properties) {
    String claims =
        Base64.getUrlEncoder().withoutPadding().encodeToString(SimJson.write(properties));
    return claims + "." + seal(claims);
  }

  /** The properties of a token; absent if it is invalid or has expired. */
  public Optional<JsonNode> read(String token, Instant now) {
    int dot = token.indexOf('.');
    if (dot < 0 || !seal(token.substring(0, dot)).equals(token.substring(dot + 1))) {
      return Optional.empty();
    }
    return SimJson.read(Base64.getUrlDecoder().decode(token.substring(0, dot)))
        .filter(claims -> claims.path("exp").asLong(Long.MAX_VALUE) > now.getEpochSecond());
  }

  private String seal(String claims) {
    return WebhookSignature.sign(key, "token", claims.getBytes(StandardCharsets.UTF_8))
        .replace("=", "")
        .replace('+', '-')
        .replace('/', '_');
  }
}
