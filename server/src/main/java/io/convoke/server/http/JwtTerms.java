package io.convoke.server.http;

import java.net.URI;
import java.util.Optional;

/**
 * How user JWTs are checked: HS256 with a shared secret, or RS256/ES256 with the keys of a JWKS
 * address. {@code exp} and {@code sub} are always required; audience and issuer if they are
 * configured.
 */
public record JwtTerms(
    Optional<String> secret,
    Optional<URI> jwksUrl,
    Optional<String> audience,
    Optional<String> issuer) {

  /** No JWTs are accepted. */
  public static final JwtTerms NONE =
      new JwtTerms(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  @Override
  public String toString() {
    return "JwtTerms[secret=" + secret.map(_ -> "***") + ", jwksUrl=" + jwksUrl + "]";
  }
}
