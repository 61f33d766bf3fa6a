package io.convoke.server.webhooks;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.webhooks.LaneStore.DueDelivery;
import io.convoke.server.webhooks.LaneStore.LaneStep;
import io.convoke.server.webhooks.LaneWorkflow.Lane;
import io.convoke.server.webhooks.LaneWorkflow.Sent;
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

/** Sends the due messages of a lane and records the outcomes. */
final class DeliverySender {
  private static final Logger log = LoggerFactory.getLogger(DeliverySender.class);
  private static final int GONE = 410;
  private static final Duration AT_A_TIME = Duration.ofSeconds(1);

  /** As long as a lookup may take; each try costs the engine two steps. */
  private static final Duration LOOKUP_RETRY = Duration.ofSeconds(5);

  private final LaneStore lanes;
  private final DeliveryStore deliveries;
  private final EndpointSecretSealer endpointSecretSealer;
  private final SsrfGuard ssrfGuard;
  private final DeliveryLimiter limits;
  private final LaneWaker waker;
  private final WebhookMetrics meters;
  private final InstantSource clock;
  private final TestSignal<Long> recorded = new TestSignal<>();

  DeliverySender(
      LaneStore lanes,
      DeliveryStore deliveries,
      EndpointSecretSealer endpointSecretSealer,
      SsrfGuard ssrfGuard,
      DeliveryLimiter limits,
      LaneWaker waker,
      WebhookMetrics meters,
      InstantSource clock) {
    this.lanes = lanes;
    this.deliveries = deliveries;
    this.endpointSecretSealer = endpointSecretSealer;
    this.ssrfGuard = ssrfGuard;
    this.limits = limits;
    this.waker = waker;
    this.meters = meters;
    this.clock = clock;
  }

  /** Emits each delivery after its attempt was recorded. */
  TestSignal<Long> recorded() {
    return recorded;
  }

  /** Result of one attempt; the error never includes content of the response. */
  private record DeliveryAttempt(Optional<Integer> status, String error) {
    boolean good() {
      return status.filter(it -> it >= 200 && it < 300).isPresent();
    }
  }

  /**
   * Sends the due messages of a lane in order, for about a second: one activity for many messages
   * costs the engine far less than one for each.
   */
  Sent send(Lane lane, String holder) {
    long until = System.nanoTime() + AT_A_TIME.toNanos();
    Sent sent = sendNext(lane, holder);
    while (sent.equals(Sent.ONE) && System.nanoTime() - until < 0) {
      sent = sendNext(lane, holder);
    }
    return sent;
  }

  private Sent sendNext(Lane lane, String holder) {
    Optional<Duration> remainingBackoff = limits.remainingBackoff(lane.endpointId());
    if (remainingBackoff.isPresent()) {
      return Sent.later(remainingBackoff.get());
    }
    return switch (lanes.next(lane, holder)) {
      case LaneStep.NothingDue(Optional<Duration> wakesAfter) -> {
        wakesAfter.ifPresent(waker::wakeAfter);
        yield Sent.NOTHING;
      }
      case LaneStep.DeliveryDue(WebhookEndpoint endpoint, DueDelivery dueDelivery) ->
          send(endpoint, dueDelivery);
    };
  }

  private Sent send(WebhookEndpoint endpoint, DueDelivery dueDelivery) {
    return switch (limits.tryAcquire(endpoint.id(), endpoint.userId())) {
      case DeliveryLimiter.DeliveryPermission.DeliverLater(Duration wait) -> Sent.later(wait);
      case DeliveryLimiter.DeliveryPermission.DeliveryPermit deliveryPermit -> {
        DeliveryAttempt deliveryAttempt;
        try (deliveryPermit) {
          deliveryAttempt = attempt(endpoint, dueDelivery);
          deliveryPermit.ended(deliveryAttempt.status().isPresent());
        } catch (SsrfGuard.LookupRefused e) {
          // Lookups of others hold the threads: that is no failure of this endpoint.
          yield Sent.later(LOOKUP_RETRY);
        }
        note(endpoint, dueDelivery, deliveryAttempt);
        yield Sent.ONE;
      }
    };
  }

  private void note(
      WebhookEndpoint endpoint, DueDelivery dueDelivery, DeliveryAttempt deliveryAttempt) {
    if (deliveryAttempt.good()) {
      deliveries.delivered(endpoint.id(), dueDelivery, deliveryAttempt.status().orElseThrow());
      meters.delivered("delivered");
      recorded.emit(dueDelivery.id());
    } else {
      failed(endpoint, dueDelivery, deliveryAttempt);
    }
  }

  private void failed(
      WebhookEndpoint endpoint, DueDelivery dueDelivery, DeliveryAttempt deliveryAttempt) {
    boolean gone = deliveryAttempt.status().filter(status -> status == GONE).isPresent();
    Optional<Duration> again =
        gone
            ? Optional.empty()
            : DeliveryRetrySchedule.after(
                dueDelivery.attempts() + 1,
                dueDelivery.sinceFirst(),
                ThreadLocalRandom.current().nextDouble());
    deliveries.failed(
        endpoint.id(), dueDelivery, deliveryAttempt.status(), deliveryAttempt.error(), again);
    meters.delivered("failed");
    recorded.emit(dueDelivery.id());
    if (again.isEmpty()) {
      String reason = gone ? "the endpoint returned 410" : "deliveries failed for 72 hours";
      deliveries.pause(endpoint.id(), reason);
      meters.delivered("paused");
      log.warn("Webhook endpoint {} paused: {}", endpoint.id(), reason);
    }
  }

  private DeliveryAttempt attempt(WebhookEndpoint endpoint, DueDelivery dueDelivery)
      throws SsrfGuard.LookupRefused {
    try {
      URI url = URI.create(endpoint.url());
      InetAddress address = ssrfGuard.of(endpoint.userId(), WebhookUrls.bareHost(url));
      int status =
          new DeliveryRequest(url, address)
              .send(headers(endpoint, dueDelivery, clock.instant()), dueDelivery.body());
      return new DeliveryAttempt(Optional.of(status), "answered " + status);
    } catch (SsrfGuard.AddressRefused e) {
      return new DeliveryAttempt(Optional.empty(), "the address is private");
    } catch (UnknownHostException e) {
      return new DeliveryAttempt(Optional.empty(), "the host is unknown");
    } catch (IllegalArgumentException e) {
      return new DeliveryAttempt(Optional.empty(), "the URL cannot be used");
    } catch (SecretBox.UnsealFailure _) {
      return new DeliveryAttempt(
          Optional.empty(), "the secret cannot be read: register the endpoint again");
    } catch (IOException e) {
      return new DeliveryAttempt(Optional.empty(), "no response: " + e.getClass().getSimpleName());
    }
  }

  private Map<String, String> headers(
      WebhookEndpoint endpoint, DueDelivery dueDelivery, Instant now) {
    String secret = endpointSecretSealer.open(endpoint.sealed());
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/json");
    headers.put("User-Agent", "Convoke-Webhooks/1");
    headers.put("webhook-id", dueDelivery.messageId());
    headers.put("webhook-timestamp", Long.toString(now.getEpochSecond()));
    headers.put(
        "webhook-signature",
        WebhookSignature.of(secret, dueDelivery.messageId(), now, dueDelivery.body()));
    return headers;
  }
}
