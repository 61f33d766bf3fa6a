package io.convoke.server.oidc;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.SignInSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * Our client at the issuer.
 *
 * @param issuer exactly as tokens name it
 * @param clientSecret empty for a public client; never logged
 * @param audience what a bearer token must name
 * @param name what people call the issuer
 * @param session how long a session of the console lasts
 */
public record OidcConfig(
    URI issuer,
    String clientId,
    Optional<String> clientSecret,
    String audience,
    OidcRoleNames roleNames,
    String name,
    Duration session) {

  /** Reads the settings; empty without an issuer. */
  public static Optional<OidcConfig> of(ServerConfig config) {
    return config.get(SignInSettings.OIDC_ISSUER).map(issuer -> at(issuer, config));
  }

  private static OidcConfig at(URI issuer, ServerConfig config) {
    String clientId = config.get(SignInSettings.OIDC_CLIENT_ID).orElseThrow();
    return new OidcConfig(
        issuer,
        clientId,
        config.get(SignInSettings.OIDC_CLIENT_SECRET),
        config.get(SignInSettings.OIDC_AUDIENCE).orElse(clientId),
        new OidcRoleNames(
            config.get(SignInSettings.OIDC_ROLES_CLAIM),
            config.get(SignInSettings.OIDC_VIEWER_ROLE),
            config.get(SignInSettings.OIDC_OPERATOR_ROLE),
            config.get(SignInSettings.OIDC_ADMIN_ROLE)),
        config.get(SignInSettings.OIDC_NAME),
        config.get(SignInSettings.OIDC_SESSION));
  }

  @Override
  public String toString() {
    return "OidcConfig[" + issuer + ", client " + clientId + "]";
  }
}
