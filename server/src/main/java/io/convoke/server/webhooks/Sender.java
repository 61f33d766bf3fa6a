package io.convoke.server.webhooks;

import io.convoke.engine.signal.Signal;
import io.convoke.server.webhooks.DeliveryStore.Due;
import io.convoke.server.webhooks.StreamWorkflow.Sent;
import io.convoke.server.webhooks.StreamWorkflow.Stream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the next delivery of a stream, once, and notes what came of it. */
final class Sender {
  private static final Logger log = LoggerFactory.getLogger(Sender.class);
  private static final int GONE = 410;

  private final EndpointStore endpoints;
  private final DeliveryStore deliveries;
  private final Secrets secrets;
  private final Addresses addresses;
  private final SendLimits limits;
  private final WebhookMeters meters;
  private final InstantSource clock;
  private final Signal<Long> recorded = new Signal<>();

  Sender(
      EndpointStore endpoints,
      DeliveryStore deliveries,
      Secrets secrets,
      Addresses addresses,
      SendLimits limits,
      WebhookMeters meters,
      InstantSource clock) {
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.secrets = secrets;
    this.addresses = addresses;
    this.limits = limits;
    this.meters = meters;
    this.clock = clock;
  }

  /** Each delivery after an attempt at it was written down. */
  Signal<Long> recorded() {
    return recorded;
  }

  /** What came of one attempt; the words never hold what the other side said. */
  private record Attempt(Optional<Integer> status, String error) {
    boolean good() {
      return status.filter(it -> it >= 200 && it < 300).isPresent();
    }
  }

  Sent sendNext(Stream stream) {
    Optional<Duration> silence = limits.silence(stream.endpointId());
    if (silence.isPresent()) {
      return Sent.later(silence.get());
    }
    Optional<Due> due = deliveries.next(stream.endpointId(), stream.subject());
    Optional<WebhookEndpoint> endpoint = endpoints.find(stream.endpointId());
    if (due.isEmpty() || endpoint.isEmpty()) {
      return Sent.NOTHING;
    }
    return switch (limits.take(stream.endpointId(), endpoint.get().userId())) {
      case SendLimits.Taken.Later(Duration wait) -> Sent.later(wait);
      case SendLimits.Taken.Permit permit -> {
        Attempt attempt;
        try (permit) {
          attempt = attempt(endpoint.get(), due.get());
          permit.ended(attempt.status().isPresent());
        }
        yield note(endpoint.get(), due.get(), attempt);
      }
    };
  }

  private Sent note(WebhookEndpoint endpoint, Due due, Attempt attempt) {
    if (attempt.good()) {
      deliveries.delivered(due.id(), attempt.status().orElseThrow());
      meters.delivered("delivered");
      recorded.emit(due.id());
      return Sent.ONE;
    }
    return failed(endpoint, due, attempt);
  }

  private Sent failed(WebhookEndpoint endpoint, Due due, Attempt attempt) {
    boolean gone = attempt.status().filter(status -> status == GONE).isPresent();
    Optional<Duration> again =
        gone
            ? Optional.empty()
            : Schedule.after(
                due.attempts() + 1, due.sinceFirst(), ThreadLocalRandom.current().nextDouble());
    deliveries.failed(due.id(), attempt.status(), attempt.error(), again);
    meters.delivered("failed");
    recorded.emit(due.id());
    if (again.isEmpty()) {
      String reason = gone ? "the endpoint said that it is gone" : "nothing arrived for 72 hours";
      deliveries.pause(endpoint.id(), reason);
      meters.delivered("paused");
      log.warn("webhook endpoint {} is paused: {}", endpoint.id(), reason);
      return Sent.ONE;
    }
    return Sent.later(again.get());
  }

  private Attempt attempt(WebhookEndpoint endpoint, Due due) {
    try {
      URI url = URI.create(endpoint.url());
      InetAddress address = addresses.of(Urls.bareHost(url));
      int status = new Post(url, address).send(headers(endpoint, due, clock.instant()), due.body());
      return new Attempt(Optional.of(status), "answered " + status);
    } catch (Addresses.Refused e) {
      return new Attempt(Optional.empty(), "the address is private");
    } catch (UnknownHostException e) {
      return new Attempt(Optional.empty(), "the host is unknown");
    } catch (IOException e) {
      return new Attempt(Optional.empty(), "no answer: " + e.getClass().getSimpleName());
    }
  }

  private Map<String, String> headers(WebhookEndpoint endpoint, Due due, Instant now) {
    String secret = secrets.open(endpoint.sealed());
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/json");
    headers.put("User-Agent", "Convoke-Webhooks/1");
    headers.put("webhook-id", due.messageId());
    headers.put("webhook-timestamp", Long.toString(now.getEpochSecond()));
    headers.put("webhook-signature", Signature.of(secret, due.messageId(), now, due.body()));
    return headers;
  }
}
