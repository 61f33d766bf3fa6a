package io.convoke.server.platform.daily;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies that a webhook came from Daily: {@code base64(HMAC-SHA256(key, timestamp + "." + body))}
 * over the raw bytes, in constant time. During a rotation two keys are valid.
 *
 * <p>The replay window is long: Daily retries a delivery for up to 15 minutes with the first
 * timestamp, and a replay only causes one more poll.
 */
public final class DailySignature {

  /** Maximum age, or clock skew, of a timestamp. */
  public static final Duration REPLAY_WINDOW = Duration.ofHours(1);

  /** A larger timestamp is in milliseconds: as seconds it would be in the year 5138. */
  private static final double MILLISECONDS_FROM = 1e11;

  private static final String ALGORITHM = "HmacSHA256";

  /** Prototypes, cloned for each message because cloning is cheaper than initialization. */
  private final List<Mac> keys;

  private DailySignature(List<Mac> keys) {
    this.keys = keys;
  }

  /**
   * Reads one or two comma separated base64 keys.
   *
   * @throws IllegalArgumentException when a key is not base64 or there are none
   */
  public static DailySignature of(String secrets) {
    List<Mac> keys =
        secrets
            .lines()
            .flatMap(line -> List.of(line.split(",", -1)).stream())
            .map(String::strip)
            .filter(secret -> !secret.isEmpty())
            .map(DailySignature::key)
            .toList();
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("the Daily webhook secret is empty");
    }
    return new DailySignature(keys);
  }

  private static Mac key(String secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret), ALGORITHM));
      return mac;
    } catch (IllegalArgumentException notBase64) {
      throw new IllegalArgumentException("the Daily webhook secret is not base64");
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, impossible);
    }
  }

  /** True if the signature matches the body and the timestamp is within the window. */
  public boolean verifies(
      Optional<String> signature, Optional<String> timestamp, byte[] body, Instant now) {
    if (signature.isEmpty() || timestamp.isEmpty() || !recent(timestamp.get(), now)) {
      return false;
    }
    byte[] given = signature.get().strip().getBytes(StandardCharsets.US_ASCII);
    boolean matches = false;
    for (Mac key : keys) {
      byte[] expected = Base64.getEncoder().encode(mac(key, timestamp.get(), body));
      matches |= MessageDigest.isEqual(expected, given);
    }
    return matches;
  }

  /** The signature that Daily would send, with the first key. */
  public String sign(String timestamp, byte[] body) {
    return Base64.getEncoder().encodeToString(mac(keys.getFirst(), timestamp, body));
  }

  private static byte[] mac(Mac key, String timestamp, byte[] body) {
    try {
      Mac mac = (Mac) key.clone();
      mac.update(timestamp.getBytes(StandardCharsets.UTF_8));
      mac.update((byte) '.');
      return mac.doFinal(body);
    } catch (CloneNotSupportedException impossible) {
      throw new IllegalStateException("every JDK copies " + ALGORITHM, impossible);
    }
  }

  private static boolean recent(String timestamp, Instant now) {
    try {
      double number = Double.parseDouble(timestamp.strip());
      double millis = number > MILLISECONDS_FROM ? number : number * 1000;
      return Math.abs(millis - now.toEpochMilli()) <= REPLAY_WINDOW.toMillis();
    } catch (NumberFormatException notNumber) {
      return false;
    }
  }
}
