package io.convoke.server.platform.janus;

import io.convoke.server.config.JanusSettings;
import io.convoke.server.config.ServerConfig;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * How to reach the admin API of a Janus.
 *
 * @param adminUrl as {@code http://janus:7088/admin}
 * @param adminSecret its {@code admin_secret}
 * @param adminKey the {@code admin_key} of its VideoRoom plugin, for private rooms and for making
 *     rooms
 * @param timeout of a call
 */
public record JanusConfig(URI adminUrl, String adminSecret, String adminKey, Duration timeout) {

  /** Default timeout of a call: short against the lease held around it. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  /** Reads the settings; empty without a Janus. */
  public static Optional<JanusConfig> of(ServerConfig config) {
    return config
        .get(JanusSettings.JANUS_ADMIN_URL)
        .map(
            url ->
                new JanusConfig(
                    url,
                    config.get(JanusSettings.JANUS_ADMIN_SECRET).orElse(""),
                    config.get(JanusSettings.JANUS_ADMIN_KEY).orElse(""),
                    DEFAULT_TIMEOUT));
  }

  @Override
  public String toString() {
    return "JanusConfig[" + adminUrl + ", timeout " + timeout + "]";
  }
}
