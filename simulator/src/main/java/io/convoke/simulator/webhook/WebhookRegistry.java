package io.convoke.simulator.webhook;

import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.time.SimulationClock;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The domain's one webhook: registering it sends a test that must be answered 200 at once. */
public final class WebhookRegistry {

  private static final byte[] TEST = SimJson.write(Map.of("test", "test"));

  private final WebhookHttpClient webhookHttpClient;
  private final SimulationClock time;
  private final SecureRandom random = new SecureRandom();
  private Optional<WebhookEndpoint> endpoint = Optional.empty();

  WebhookRegistry(WebhookHttpClient webhookHttpClient, SimulationClock time) {
    this.webhookHttpClient = webhookHttpClient;
    this.time = time;
  }

  public synchronized Optional<WebhookEndpoint> current() {
    return endpoint;
  }

  public synchronized Optional<WebhookEndpoint> find(String uuid) {
    return endpoint.filter(e -> e.uuid().equals(uuid));
  }

  public synchronized boolean delete(String uuid) {
    boolean found = find(uuid).isPresent();
    if (found) {
      endpoint = Optional.empty();
    }
    return found;
  }

  /** Registers without a test, as if it had been done long ago. */
  public synchronized WebhookEndpoint preset(WebhookEndpointRequest wanted) {
    WebhookEndpoint made = make(UUID.randomUUID().toString(), wanted, Optional.empty());
    endpoint = Optional.of(made);
    return made;
  }

  public WebhookRegistrationResult register(WebhookEndpointRequest wanted) {
    if (wanted.url().isEmpty()) {
      return new WebhookRegistrationResult.RegistrationRefused("url is required");
    }
    if (current().isPresent()) {
      return new WebhookRegistrationResult.RegistrationConflict();
    }
    return accept(make(UUID.randomUUID().toString(), wanted, Optional.empty()), Optional.empty());
  }

  /** Changes a webhook and activates it again, whatever its state. */
  public WebhookRegistrationResult update(String uuid, WebhookEndpointRequest wanted) {
    Optional<WebhookEndpoint> before = find(uuid);
    return before.isEmpty()
        ? new WebhookRegistrationResult.RegistrationNotFound()
        : accept(make(uuid, wanted, before), before);
  }

  private WebhookRegistrationResult accept(WebhookEndpoint made, Optional<WebhookEndpoint> before) {
    DeliveryAttempt test = webhookHttpClient.post(made, TEST);
    if (!test.succeeded()) {
      return new WebhookRegistrationResult.RegistrationRefused(
          "non-200 status code returned from webhook endpoint");
    }
    synchronized (this) {
      if (!endpoint.map(WebhookEndpoint::uuid).equals(before.map(WebhookEndpoint::uuid))) {
        return new WebhookRegistrationResult.RegistrationConflict();
      }
      endpoint = Optional.of(made);
      return new WebhookRegistrationResult.RegistrationAccepted(made);
    }
  }

  private WebhookEndpoint make(
      String uuid, WebhookEndpointRequest wanted, Optional<WebhookEndpoint> before) {
    Instant now = time.instant();
    return new WebhookEndpoint(
        uuid,
        wanted.url().or(() -> before.map(WebhookEndpoint::url)).orElseThrow(),
        wanted.hmac().or(() -> before.map(WebhookEndpoint::hmac)).orElseGet(this::newKey),
        wanted.basicAuth().or(() -> before.flatMap(WebhookEndpoint::basicAuth)),
        wanted
            .retryType()
            .or(() -> before.map(WebhookEndpoint::retryType))
            .orElse(WebhookRetryType.CIRCUIT_BREAKER),
        wanted.eventTypes().or(() -> before.map(WebhookEndpoint::eventTypes)).orElse(Set.of()),
        WebhookEndpoint.WebhookEndpointState.ACTIVE,
        0,
        before.flatMap(WebhookEndpoint::lastMomentPushed),
        before.map(WebhookEndpoint::createdAt).orElse(now),
        now);
  }

  private String newKey() {
    byte[] key = new byte[32];
    random.nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }

  synchronized void change(String uuid, UnaryOperator<WebhookEndpoint> change) {
    endpoint = endpoint.map(e -> e.uuid().equals(uuid) ? change.apply(e) : e);
  }
}
