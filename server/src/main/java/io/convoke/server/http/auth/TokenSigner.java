package io.convoke.server.http.auth;

import io.convoke.engine.crypto.SecretBox;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs the claims of tokens that are not stored: HMAC-SHA-256 with a key for one purpose, derived
 * from each key of {@code CONVOKE_SECRET_KEY}. The first signs, all verify, so that tokens outlive
 * a rotation.
 */
public final class TokenSigner {
  /** The form of a signature: base64url without padding. */
  public static final String SIGNATURE = "[A-Za-z0-9_-]{43}";

  private final List<SecretKeySpec> keys;

  /** Signs for one purpose; tokens of another purpose are not valid here. */
  public TokenSigner(SecretBox secrets, String purpose) {
    this.keys =
        secrets.deriveAll(purpose, "").stream()
            .map(key -> new SecretKeySpec(key, "HmacSHA256"))
            .toList();
  }

  /** The signature of a claim, by the newest key. */
  public String sign(String claim) {
    return mac(keys.getFirst(), claim);
  }

  /** Whether one of our keys signed the claim so; takes the same time for every signature. */
  public boolean verifies(String claim, String signature) {
    byte[] shown = signature.getBytes(StandardCharsets.US_ASCII);
    boolean ours = false;
    for (SecretKeySpec key : keys) {
      ours |= MessageDigest.isEqual(mac(key, claim).getBytes(StandardCharsets.US_ASCII), shown);
    }
    return ours;
  }

  private static String mac(SecretKeySpec key, String claim) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(mac.doFinal(claim.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }
}
