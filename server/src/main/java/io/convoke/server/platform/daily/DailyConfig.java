package io.convoke.server.platform.daily;

import java.net.URI;
import java.time.Duration;

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

  @Override
  public String toString() {
    return "DailyConfig[" + apiUrl + ", timeout " + timeout + "]";
  }
}
