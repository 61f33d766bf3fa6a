package io.convoke.lab.sim.webhook;

import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.time.SimTime;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The domain's one webhook: registering it sends a test that must be answered 200 at once. */
public final class Registry {

  private static final byte[] TEST = Json.write(Map.of("test", "test"));

  private final Poster poster;
  private final SimTime time;
  private final SecureRandom random = new SecureRandom();
  private Optional<Endpoint> endpoint = Optional.empty();

  Registry(Poster poster, SimTime time) {
    this.poster = poster;
    this.time = time;
  }

  public synchronized Optional<Endpoint> current() {
    return endpoint;
  }

  public synchronized Optional<Endpoint> find(String uuid) {
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
  public synchronized Endpoint preset(EndpointRequest wanted) {
    Endpoint made = make(UUID.randomUUID().toString(), wanted, Optional.empty());
    endpoint = Optional.of(made);
    return made;
  }

  public Registration register(EndpointRequest wanted) {
    if (wanted.url().isEmpty()) {
      return new Registration.Refused("url is required");
    }
    if (current().isPresent()) {
      return new Registration.Taken();
    }
    return accept(make(UUID.randomUUID().toString(), wanted, Optional.empty()), Optional.empty());
  }

  /** Changes a webhook and sets it going again, whatever its state. */
  public Registration update(String uuid, EndpointRequest wanted) {
    Optional<Endpoint> before = find(uuid);
    return before.isEmpty()
        ? new Registration.Unknown()
        : accept(make(uuid, wanted, before), before);
  }

  private Registration accept(Endpoint made, Optional<Endpoint> before) {
    Attempt test = poster.post(made, TEST);
    if (!test.succeeded()) {
      return new Registration.Refused("non-200 status code returned from webhook endpoint");
    }
    synchronized (this) {
      if (!endpoint.map(Endpoint::uuid).equals(before.map(Endpoint::uuid))) {
        return new Registration.Taken();
      }
      endpoint = Optional.of(made);
      return new Registration.Accepted(made);
    }
  }

  private Endpoint make(String uuid, EndpointRequest wanted, Optional<Endpoint> before) {
    Instant now = time.instant();
    return new Endpoint(
        uuid,
        wanted.url().or(() -> before.map(Endpoint::url)).orElseThrow(),
        wanted.hmac().or(() -> before.map(Endpoint::hmac)).orElseGet(this::newKey),
        wanted.basicAuth().or(() -> before.flatMap(Endpoint::basicAuth)),
        wanted
            .retryType()
            .or(() -> before.map(Endpoint::retryType))
            .orElse(RetryType.CIRCUIT_BREAKER),
        wanted.eventTypes().or(() -> before.map(Endpoint::eventTypes)).orElse(Set.of()),
        Endpoint.State.ACTIVE,
        0,
        before.flatMap(Endpoint::lastMomentPushed),
        before.map(Endpoint::createdAt).orElse(now),
        now);
  }

  private String newKey() {
    byte[] key = new byte[32];
    random.nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }

  synchronized void note(String uuid, UnaryOperator<Endpoint> change) {
    endpoint = endpoint.map(e -> e.uuid().equals(uuid) ? change.apply(e) : e);
  }
}
