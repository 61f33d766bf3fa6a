package io.convoke.server.platform.janus;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/**
 * The password that Janus' sample event handler sends by basic authentication ({@code
 * backend_pwd}); its user may be any.
 */
public final class JanusEventPassword {
  private static final String SCHEME = "basic ";

  private final byte[] password;

  public JanusEventPassword(String password) {
    this.password = password.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether a value of {@code Authorization} has this password; compared in constant time. */
  public boolean opens(Optional<String> header) {
    return header
        .filter(value -> value.toLowerCase(Locale.ROOT).startsWith(SCHEME))
        .map(value -> value.substring(SCHEME.length()).strip())
        .flatMap(JanusEventPassword::decoded)
        .filter(given -> MessageDigest.isEqual(given, password))
        .isPresent();
  }

  /** What follows the first colon. */
  private static Optional<byte[]> decoded(String credentials) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(credentials);
    } catch (IllegalArgumentException noBase64) {
      return Optional.empty();
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    int colon = text.indexOf(':');
    return colon < 0
        ? Optional.empty()
        : Optional.of(text.substring(colon + 1).getBytes(StandardCharsets.UTF_8));
  }
}
