package io.convoke.server.http.auth;

import java.net.URI;
import java.util.Optional;

/**
 * How user JWTs are checked: HS256 with a shared secret, or RS256/ES256 with the keys of a JWKS
 * address. {@code exp} and {@code sub} are always required; audience and issuer if they are
 * configured.
 */
public record JwtConfig(
    Optional<String> secret,
    Optional<URI> jwksUrl,
    Optional<String> audience,
    Optional<String> issuer) {

  /** No JWTs are accepted. */
  public static final JwtConfig NONE =
      new JwtConfig(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  @Override
  public String toString() {
    return "JwtConfig[secret=" + secret.map(_ -> "***") + ", jwksUrl=" + jwksUrl + "]";
  }
}
