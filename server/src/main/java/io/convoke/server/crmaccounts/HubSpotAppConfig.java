package io.convoke.server.crmaccounts;

import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.ServerConfig;
import java.net.URI;
import java.util.Optional;

/**
 * Our app at HubSpot, by which users connect their accounts.
 *
 * @param scopes what it asks for, separated by spaces, as registered there
 */
public record HubSpotAppConfig(
    String clientId, String clientSecret, URI authorizeUrl, URI tokenUrl, String scopes) {

  /** Reads the settings; empty without an app. */
  public static Optional<HubSpotAppConfig> of(ServerConfig config) {
    return config
        .get(BackgroundWorkSettings.HUBSPOT_CLIENT_ID)
        .map(
            clientId ->
                new HubSpotAppConfig(
                    clientId,
                    config.get(BackgroundWorkSettings.HUBSPOT_CLIENT_SECRET).orElseThrow(),
                    config.get(BackgroundWorkSettings.HUBSPOT_AUTHORIZE_URL),
                    URI.create(
                        config
                                .get(BackgroundWorkSettings.CRM_URL)
                                .orElseThrow()
                                .toString()
                                .replaceFirst("/$", "")
                            + "/oauth/v3/token"),
                    config.get(BackgroundWorkSettings.HUBSPOT_SCOPES)));
  }

  @Override
  public String toString() {
    return "HubSpotAppConfig[" + clientId + "]";
  }
}
