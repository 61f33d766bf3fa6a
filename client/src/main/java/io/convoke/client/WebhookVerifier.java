package io.convoke.client;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies webhooks by Standard Webhooks: HMAC-SHA-256 over {@code id.timestamp.body}. A message
 * may come twice: remember its id.
 */
public final class WebhookVerifier {
  private static final String PREFIX = "whsec_";
  private static final String VERSION = "v1,";
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private final List<SecretKeySpec> keys;

  private WebhookVerifier(List<SecretKeySpec> keys) {
    this.keys = keys;
  }

  /**
   * Verifies with these secrets, of which one must fit: several while one replaces another.
   *
   * @throws IllegalArgumentException for what is no secret; it is not shown
   */
  public static WebhookVerifier of(String secret, String... more) {
    List<SecretKeySpec> keys = new ArrayList<>();
    keys.add(key(secret));
    for (String each : more) {
      keys.add(key(each));
    }
    return new WebhookVerifier(List.copyOf(keys));
  }

  /** Why a message is refused. */
  public enum WebhookRefusal {
    /** The timestamp is no number, or more than five minutes from now. */
    TIMESTAMP,
    /** None of the signatures is by one of the secrets. */
    SIGNATURE
  }

  /** A message that is not from our server, or was changed, or is old. */
  public static final class WebhookRefusedException extends Exception {
    private final WebhookRefusal reason;

    WebhookRefusedException(WebhookRefusal reason) {
      super("webhook refused: " + reason.name().toLowerCase(java.util.Locale.ROOT));
      this.reason = reason;
    }

    /** Why. */
    public WebhookRefusal reason() {
      return reason;
    }
  }

  /**
   * Verifies a message, now.
   *
   * @param id {@code webhook-id}
   * @param timestamp {@code webhook-timestamp}, in seconds
   * @param signatures {@code webhook-signature}, one or several
   * @param body as it came, before any parsing
   */
  public void verify(String id, String timestamp, String signatures, byte[] body)
      throws WebhookRefusedException {
    verify(id, timestamp, signatures, body, Instant.now());
  }

  /** Verifies a message at a time. */
  public void verify(String id, String timestamp, String signatures, byte[] body, Instant now)
      throws WebhookRefusedException {
    if (!timestamp.matches("[0-9]{1,11}")
        || Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now)
                .abs()
                .compareTo(TOLERANCE)
            > 0) {
      throw new WebhookRefusedException(WebhookRefusal.TIMESTAMP);
    }
    boolean ours = false;
    for (SecretKeySpec key : keys) {
      byte[] expected = (VERSION + sign(key, id, timestamp, body)).getBytes(StandardCharsets.UTF_8);
      for (String shown : signatures.split(" ", -1)) {
        ours |= MessageDigest.isEqual(expected, shown.getBytes(StandardCharsets.UTF_8));
      }
    }
    if (!ours) {
      throw new WebhookRefusedException(WebhookRefusal.SIGNATURE);
    }
  }

  private static String sign(SecretKeySpec key, String id, String timestamp, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }

  private static SecretKeySpec key(String secret) {
    try {
      byte[] key =
          Base64.getDecoder()
              .decode(secret.startsWith(PREFIX) ? secret.substring(PREFIX.length()) : secret);
      return new SecretKeySpec(key, "HmacSHA256");
    } catch (IllegalArgumentException _) {
      throw new IllegalArgumentException("a webhook secret is whsec_ and base64");
    }
  }
}
