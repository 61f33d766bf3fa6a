package io.convoke.server.platform.daily;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.WebhookRegistration;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * How to reach Daily.
 *
 * @param apiUrl with the version, as in {@code https://api.daily.co/v1}
 * @param apiKey sent as bearer, never logged
 * @param timeout timeout of one call, connecting included
 */
public record DailyConfig(URI apiUrl, String apiKey, Duration timeout) {

  /** Default timeout of a call: short against the lease held around it. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  /** Reads the settings. */
  public static DailyConfig of(ServerConfig config) {
    return new DailyConfig(
        config.get(Settings.DAILY_API_URL),
        config.get(Settings.DAILY_API_KEY).orElse(""),
        DEFAULT_TIMEOUT);
  }

  /** The check of webhooks, if secrets are configured. */
  public static Optional<DailySignature> signature(ServerConfig config) {
    return Optional.of(config.get(Settings.DAILY_WEBHOOK_SECRET))
        .filter(secrets -> !secrets.isEmpty())
        .map(secrets -> DailySignature.of(String.join(",", secrets)));
  }

  /** The webhook registration at Daily, if Convoke manages it; the first secret signs. */
  public static Optional<WebhookRegistration> webhook(
      ServerConfig config, RateLimiter rateLimiter) {
    return config
        .get(Settings.DAILY_WEBHOOK_URL)
        .map(
            address ->
                new DailyWebhookRegistration(
                    of(config),
                    rateLimiter,
                    address,
                    config.get(Settings.DAILY_WEBHOOK_SECRET).getFirst()));
  }

  @Override
  public String toString() {
    return "DailyConfig[" + apiUrl + ", timeout " + timeout + "]";
  }
}
