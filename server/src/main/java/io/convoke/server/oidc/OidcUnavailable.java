package io.convoke.server.oidc;

/** The issuer cannot be reached, refuses us, or answers with something else. */
final class OidcUnavailable extends RuntimeException {
  OidcUnavailable(String message) {
    super(message);
  }

  OidcUnavailable(String message, Throwable cause) {
    super(message, cause);
  }
}
