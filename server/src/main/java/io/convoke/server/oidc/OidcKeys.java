package io.convoke.server.oidc;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetParseException;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import java.text.ParseException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The keys that the issuer publishes now. */
final class OidcKeys implements JWKSetSource<SecurityContext> {
  private static final Duration KEPT = Duration.ofMinutes(5);
  private static final Duration QUEUED_MAX = Duration.ofSeconds(10);

  /** Within it the keys are read twice at most, whatever key ids tokens name. */
  private static final Duration READ_INTERVAL = Duration.ofSeconds(10);

  /** How long known keys count while the issuer is away. */
  private static final Duration OUTAGE_MAX = Duration.ofHours(12);

  private final OidcDiscovery discovery;
  private final OidcHttpClient http;

  private OidcKeys(OidcDiscovery discovery, OidcHttpClient http) {
    this.discovery = discovery;
    this.http = http;
  }

  /**
   * The keys, remembered for five minutes, read again when a token names an unknown one, and kept
   * while the issuer is away.
   */
  static JWKSource<SecurityContext> remembered(OidcDiscovery discovery, OidcHttpClient http) {
    return JWKSourceBuilder.create(new OidcKeys(discovery, http))
        .cache(KEPT.toMillis(), QUEUED_MAX.toMillis())
        .refreshAheadCache(false)
        .rateLimited(READ_INTERVAL.toMillis())
        .outageTolerant(OUTAGE_MAX.toMillis())
        .build();
  }

  @Override
  public JWKSet getJWKSet(
      JWKSetCacheRefreshEvaluator evaluator, long now, @Nullable SecurityContext context)
      throws KeySourceException {
    try {
      return JWKSet.parse(http.get(discovery.metadata().jwksUri()));
    } catch (OidcUnavailable e) {
      throw new JWKSetUnavailableException(e.getMessage(), e);
    } catch (ParseException e) {
      throw new JWKSetParseException("the issuer's keys are no JWKS", e);
    }
  }

  @Override
  public void close() {
    // Holds nothing.
  }
}
