package io.convoke.server;

import io.convoke.server.config.Config;
import io.convoke.server.config.Settings;
import io.convoke.server.http.HttpTerms;
import io.convoke.server.http.JwtTerms;

/** Settings as the terms of each feature, so that no feature knows the configuration. */
final class Terms {
  private static final int BURST_SECONDS = 4;

  private Terms() {}

  static HttpTerms http(Config config) {
    int rate = config.get(Settings.RATE_LIMIT);
    return HttpTerms.at(config.get(Settings.HOST), config.get(Settings.PORT))
        .with(new HttpTerms.Rate(rate, rate * BURST_SECONDS));
  }

  static JwtTerms jwt(Config config) {
    return new JwtTerms(
        config.get(Settings.JWT_SECRET),
        config.get(Settings.JWKS_URL),
        config.get(Settings.JWT_AUDIENCE),
        config.get(Settings.JWT_ISSUER));
  }
}
