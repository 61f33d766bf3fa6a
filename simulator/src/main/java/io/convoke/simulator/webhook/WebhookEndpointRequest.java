package io.convoke.simulator.webhook;

import java.net.URI;
import java.util.Optional;
import java.util.Set;

/**
 * The fields of a request to register or update a webhook; absent ones stay or get their default.
 */
public record WebhookEndpointRequest(
    Optional<URI> url,
    Optional<String> hmac,
    Optional<String> basicAuth,
    Optional<WebhookRetryType> retryType,
    Optional<Set<String>> eventTypes) {

  /** All events to this address, signed with this base64 key. */
  public static WebhookEndpointRequest to(URI url, String hmac) {
    return new WebhookEndpointRequest(
        Optional.of(url), Optional.of(hmac), Optional.empty(), Optional.empty(), Optional.empty());
  }
}
