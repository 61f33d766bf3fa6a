package io.convoke.simulator.webhook;

import io.convoke.simulator.observe.ObservationAwaiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Every event in order with its deliveries. Beyond a bound the oldest finished ones are dropped.
 */
public final class DeliveryLog {

  private static final int REMEMBERED = 200_000;

  private final Map<String, WebhookDelivery> entries = new LinkedHashMap<>();
  private final ObservationAwaiter<WebhookDelivery> observationAwaiter =
      new ObservationAwaiter<>(this::entries);
  private int pending;

  /** All events, oldest first. */
  public synchronized List<WebhookDelivery> entries() {
    return new ArrayList<>(entries.values());
  }

  /** How many events are still to be sent. */
  public synchronized int pending() {
    return pending;
  }

  /** Waits for an event in a state that is wanted; one event is seen again whenever it changes. */
  public WebhookDelivery await(Predicate<? super WebhookDelivery> wanted, Duration timeout)
      throws TimeoutException {
    return observationAwaiter.await(wanted, timeout);
  }

  /** Waits until no event is in delivery or waits for a retry. */
  public void awaitQuiet(Duration timeout) throws TimeoutException {
    if (pending() > 0) {
      observationAwaiter.await(seen -> pending() == 0, timeout);
    }
  }

  void add(WebhookDelivery webhookDelivery) {
    synchronized (this) {
      entries.put(webhookDelivery.envelope().id(), webhookDelivery);
      pending += webhookDelivery.settled() ? 0 : 1;
      if (entries.size() > REMEMBERED) {
        var oldest = entries.values().iterator();
        if (oldest.next().settled()) {
          oldest.remove();
        }
      }
    }
    observationAwaiter.emit(webhookDelivery);
  }

  void change(String id, UnaryOperator<WebhookDelivery> change) {
    Optional<WebhookDelivery> changed;
    synchronized (this) {
      Optional<WebhookDelivery> before = Optional.ofNullable(entries.get(id));
      changed = before.map(change);
      changed.ifPresent(after -> entries.put(id, after));
      boolean wasPending = before.map(d -> !d.settled()).orElse(false);
      boolean isPending = changed.map(d -> !d.settled()).orElse(false);
      pending += (isPending ? 1 : 0) - (wasPending ? 1 : 0);
    }
    changed.ifPresent(observationAwaiter::emit);
  }
}
