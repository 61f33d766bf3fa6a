package io.convoke.simulator.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Daily's webhook signature: base64 of HMAC-SHA256 over timestamp, dot, raw body. */
public final class WebhookSignature {

  private WebhookSignature() {}

  /**
   * Signs one delivery.
   *
   * @param hmac the key, base64
   * @throws IllegalArgumentException if the key is not base64
   */
  public static String sign(String hmac, String timestamp, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(Base64.getDecoder().decode(hmac), "HmacSHA256"));
      mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every Java has HmacSHA256", impossible);
    }
  }

  /** Whether a key can sign: base64 of at least one byte. */
  public static boolean usable(String hmac) {
    try {
      return Base64.getDecoder().decode(hmac).length > 0;
    } catch (IllegalArgumentException notBase64) {
      return false;
    }
  }
}
