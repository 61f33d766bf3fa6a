package io.convoke.simulator.webhook;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.state.SimulationEvent;
import io.convoke.simulator.time.SeededRandom;
import io.convoke.simulator.time.SimulationClock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Sends events to the registered webhook: events of one room in order, rooms concurrently, unless a
 * fault drops, repeats, delays or reorders them. A fault is decided when the event is created, in
 * the order of events; the endpoint's state counts at the time of sending.
 */
public final class WebhookSender implements Consumer<SimulationEvent>, AutoCloseable {

  private static final int MAX_TRIES = 5;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, RoomDeliveryQueue> lanes = new ConcurrentHashMap<>();
  private final DeliveryLog deliveryLog = new DeliveryLog();
  private final SimulationClock time;
  private final FaultSwitches faultSwitches;
  private final WebhookSenderConfig settings;
  private final WebhookEventFactory webhookEventFactory;
  private final WebhookHttpClient webhookHttpClient;
  private final WebhookRegistry webhookRegistry;
  private volatile boolean closed;

  public WebhookSender(
      SimulationClock time,
      SeededRandom seededRandom,
      FaultSwitches faultSwitches,
      WebhookSenderConfig settings) {
    this.time = time;
    this.faultSwitches = faultSwitches;
    this.settings = settings;
    this.webhookEventFactory = new WebhookEventFactory(seededRandom, faultSwitches);
    this.webhookHttpClient = new WebhookHttpClient(time, settings);
    this.webhookRegistry = new WebhookRegistry(webhookHttpClient, time);
  }

  public WebhookRegistry registry() {
    return webhookRegistry;
  }

  public DeliveryLog ledger() {
    return deliveryLog;
  }

  @Override
  public void accept(SimulationEvent event) {
    if (!closed) {
      webhookEventFactory.of(event).ifPresent(this::dispatch);
    }
  }

  private void dispatch(WebhookEvent event) {
    String subject = event.type() + " " + event.room();
    String key = event.type() + " " + event.label();
    if (faultSwitches.strike(FaultKind.WEBHOOK_DROP, subject, key).isPresent()) {
      deliveryLog.add(WebhookDelivery.dropped(event));
      return;
    }
    Optional<Duration> repeat = faultSwitches.strike(FaultKind.WEBHOOK_REPEAT, subject, key);
    Optional<Duration> delay = faultSwitches.strike(FaultKind.WEBHOOK_DELAY, subject, key);
    boolean reordered = faultSwitches.strike(FaultKind.WEBHOOK_REORDER, subject, key).isPresent();
    deliveryLog.add(
        WebhookDelivery.pending(
            event, delay.orElse(Duration.ZERO), reordered, repeat.isPresent() ? 2 : 1));
    RoomDeliveryQueue roomDeliveryQueue =
        lanes.computeIfAbsent(event.room(), room -> new RoomDeliveryQueue(threads));
    Runnable first = () -> attempt(event, 1);
    if (delay.isPresent()) {
      time.after(delay.get(), () -> roomDeliveryQueue.submit(first));
    } else if (reordered) {
      roomDeliveryQueue.holdBack(first);
      Duration longest = faultSwitches.get(FaultKind.WEBHOOK_REORDER).amount();
      time.after(
          longest.isZero() ? settings.timeout() : longest, () -> roomDeliveryQueue.release(first));
    } else {
      roomDeliveryQueue.submit(first);
    }
    repeat.ifPresent(
        later ->
            time.after(
                delay.orElse(Duration.ZERO).plus(later),
                () -> roomDeliveryQueue.submit(() -> attempt(event, 1))));
  }

  private void attempt(WebhookEvent event, int tries) {
    Optional<WebhookEndpoint> wanting =
        webhookRegistry.current().filter(e -> e.wants(event.type()));
    if (wanting.isEmpty()) {
      deliveryLog.change(event.id(), d -> d.copyEnded(WebhookDelivery.DeliveryEnd.UNWANTED));
      return;
    }
    WebhookEndpoint webhookEndpoint = wanting.get();
    if (webhookEndpoint.state() == WebhookEndpoint.WebhookEndpointState.FAILED) {
      deliveryLog.change(event.id(), d -> d.copyEnded(WebhookDelivery.DeliveryEnd.SUPPRESSED));
      return;
    }
    DeliveryAttempt deliveryAttempt =
        webhookHttpClient.post(webhookEndpoint, SimJson.write(event.body()));
    webhookRegistry.change(
        webhookEndpoint.uuid(),
        e ->
            deliveryAttempt.succeeded()
                ? e.delivered(deliveryAttempt.at())
                : e.failed(deliveryAttempt.at()));
    boolean again =
        !deliveryAttempt.succeeded()
            && webhookEndpoint.retryType() == WebhookRetryType.EXPONENTIAL
            && tries < MAX_TRIES;
    if (again) {
      // Scheduled before it is announced, so that a test that waits for this attempt can count on
      // the next.
      Duration gap = time.scaled(settings.gapAfter(tries));
      time.after(gap, () -> threads.execute(() -> attempt(event, tries + 1)));
    }
    deliveryLog.change(
        event.id(),
        d ->
            again
                ? d.attempted(deliveryAttempt)
                : d.attempted(deliveryAttempt).copyEnded(WebhookDelivery.DeliveryEnd.FAILED));
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
    webhookHttpClient.close();
  }
}
