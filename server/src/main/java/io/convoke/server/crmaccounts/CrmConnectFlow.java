package io.convoke.server.crmaccounts;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.crypto.Sha256Hash;
import io.convoke.engine.json.Json;
import io.convoke.server.http.Request;
import io.convoke.server.http.auth.BrowserSessions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * A connection that a user has begun in this browser. It travels sealed in a cookie, so that
 * another person's answer, or an answer in another browser, connects nothing.
 *
 * @param end when it is over
 * @param state what must come back from HubSpot
 * @param codeVerifier binds the code to us (PKCE)
 */
record CrmConnectFlow(
    Instant end, long userId, String state, String codeVerifier, String redirectUri) {
  /** How long a person may take at HubSpot. */
  static final Duration LIFE = Duration.ofMinutes(10);

  private static final String PURPOSE = "crm-connect-flow";
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  static CrmConnectFlow begin(long userId, String redirectUri, Instant now) {
    return new CrmConnectFlow(now.plus(LIFE), userId, secret(), secret(), redirectUri);
  }

  /** What HubSpot compares with the verifier: S256 of RFC 7636. */
  String codeChallenge() {
    return base64(Sha256Hash.of(codeVerifier));
  }

  /** The {@code Set-Cookie} header with the flow. */
  String cookie(Request request, SecretBox box) {
    return cookie(request, box.seal(PURPOSE, Json.write(this)), LIFE.toSeconds());
  }

  /** The {@code Set-Cookie} header that takes it back. */
  static String cleared(Request request) {
    return cookie(request, "", 0);
  }

  /** The flow of this browser that the state answers; empty if there is none, or it is over. */
  static Optional<CrmConnectFlow> answered(
      Request request, SecretBox box, String state, Instant now) {
    String prefix = name(request) + "=";
    return request.header("Cookie").stream()
        .flatMap(cookies -> Arrays.stream(cookies.split(";", -1)))
        .map(String::strip)
        .filter(cookie -> cookie.startsWith(prefix))
        .flatMap(cookie -> open(box, cookie.substring(prefix.length())).stream())
        .filter(flow -> flow.end.isAfter(now))
        .filter(flow -> MessageDigest.isEqual(Sha256Hash.of(flow.state), Sha256Hash.of(state)))
        .findFirst();
  }

  private static Optional<CrmConnectFlow> open(SecretBox box, String sealed) {
    try {
      return Optional.of(Json.read(box.open(PURPOSE, sealed), CrmConnectFlow.class));
    } catch (SecretBox.UnsealFailure _) {
      return Optional.empty();
    }
  }

  /** It must come back with a navigation from another site: hence {@code SameSite=Lax}. */
  private static String cookie(Request request, String value, long seconds) {
    return name(request)
        + "="
        + value
        + "; Max-Age="
        + seconds
        + "; Path=/; HttpOnly; SameSite=Lax"
        + (BrowserSessions.https(request) ? "; Secure" : "");
  }

  private static String name(Request request) {
    return BrowserSessions.https(request) ? "__Host-convoke-crm" : "convoke-crm";
  }

  @Override
  public String toString() {
    return "CrmConnectFlow[user " + userId + ", until " + end + "]";
  }

  private static String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    RANDOM.nextBytes(bytes);
    return base64(bytes);
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
