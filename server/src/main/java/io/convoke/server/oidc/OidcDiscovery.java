package io.convoke.server.oidc;

import io.convoke.engine.json.Json;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The issuer's addresses by OpenID Connect Discovery, read on first use and again after an hour.
 * While the issuer is away the known addresses stay; it is asked again after a pause, so that
 * requests do not queue for it.
 */
final class OidcDiscovery {
  private static final Logger log = LoggerFactory.getLogger(OidcDiscovery.class);
  private static final String PATH = "/.well-known/openid-configuration";
  private static final long KEPT_NANOS = Duration.ofHours(1).toNanos();
  private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

  private final URI issuer;
  private final OidcHttpClient http;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Optional<OidcMetadata> metadata = Optional.empty();
  private long nextAt;
  private boolean asked;

  OidcDiscovery(URI issuer, OidcHttpClient http, LongSupplier nanoTime) {
    this.issuer = issuer;
    this.http = http;
    this.nanoTime = nanoTime;
  }

  /**
   * The addresses.
   *
   * @throws OidcUnavailable if they were never read, and cannot be read now
   */
  OidcMetadata metadata() {
    Optional<OidcMetadata> known = metadata;
    if (known.isEmpty()) {
      lock.lock();
    } else if (!lock.tryLock()) {
      // Another thread asks the issuer; what is known serves until then.
      return known.get();
    }
    try {
      if (!asked || nanoTime.getAsLong() - nextAt >= 0) {
        refresh();
      }
      return metadata.orElseThrow(
          () -> new OidcUnavailable("the issuer could not be read a moment ago"));
    } finally {
      lock.unlock();
    }
  }

  private void refresh() {
    asked = true;
    try {
      metadata = Optional.of(read());
      nextAt = nanoTime.getAsLong() + KEPT_NANOS;
    } catch (OidcUnavailable e) {
      nextAt = nanoTime.getAsLong() + PAUSE_NANOS;
      log.warn("The OpenID Connect issuer cannot be read: {}", e.getMessage());
      if (metadata.isEmpty()) {
        throw e;
      }
    }
  }

  private OidcMetadata read() {
    String base = issuer.toString();
    URI address =
        URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + PATH);
    JsonNode document = parsed(http.get(address));
    if (!document.path("issuer").asString("").equals(base)) {
      throw new OidcUnavailable(address + " names another issuer");
    }
    return new OidcMetadata(
        endpoint(document, "authorization_endpoint"),
        endpoint(document, "token_endpoint"),
        endpoint(document, "jwks_uri"));
  }

  private static JsonNode parsed(String text) {
    try {
      return Json.read(text);
    } catch (JacksonException e) {
      throw new OidcUnavailable("the discovery document is no JSON", e);
    }
  }

  /** No weaker than the issuer's own address: keys and codes do not travel in the clear. */
  private URI endpoint(JsonNode document, String name) {
    try {
      URI uri = URI.create(document.path(name).asString(""));
      if ("https".equals(uri.getScheme())
          || ("http".equals(uri.getScheme()) && "http".equals(issuer.getScheme()))) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw new OidcUnavailable("the discovery document has no valid " + name, e);
    }
    throw new OidcUnavailable("the discovery document has no valid " + name);
  }
}
