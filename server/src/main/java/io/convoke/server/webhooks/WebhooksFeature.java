package io.convoke.server.webhooks;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.server.http.Endpoint;
import io.convoke.server.loop.PeriodicTask;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** Wires outgoing webhooks: endpoints, router, and delivery workflow. */
public final class WebhooksFeature implements AutoCloseable {
  private final WebhookEndpoints endpoints;
  private final DeliveryRouter deliveryRouter;
  private final LaneWorkflow workflow;
  private final LaneWaker waker;
  private final DeliverySender deliverySender;
  private final PeriodicTask retention;

  private static final Duration RETENTION_ROUND = Duration.ofHours(1);

  /** Default of concurrent deliveries per node. */
  public static final int SENDS_MAX = 64;

  /**
   * Wires the feature; nothing runs before {@link #start}.
   *
   * @param allowPrivate whether private addresses are allowed
   * @param sendsMax concurrent deliveries of this node; 0 if it runs no activities
   */
  public WebhooksFeature(
      Database database,
      Journal journal,
      SecretBox secrets,
      boolean allowPrivate,
      int sendsMax,
      MeterRegistry registry,
      InstantSource clock) {
    this(
        database,
        journal,
        secrets,
        new SsrfGuard(allowPrivate, new BoundedAddressResolver()),
        sendsMax,
        registry,
        clock);
  }

  WebhooksFeature(
      Database database,
      Journal journal,
      SecretBox secrets,
      SsrfGuard ssrfGuard,
      int sendsMax,
      MeterRegistry registry,
      InstantSource clock) {
    WebhookEndpointStore store = new WebhookEndpointStore(database, journal);
    DeliveryStore deliveries = new DeliveryStore(database, journal);
    EndpointSecretSealer endpointSecretSealer = new EndpointSecretSealer(secrets);
    WebhookMetrics meters = new WebhookMetrics(registry);
    this.endpoints =
        new WebhookEndpoints(store, deliveries, journal, endpointSecretSealer, ssrfGuard);
    this.deliveryRouter = new DeliveryRouter(database, journal, deliveries, meters);
    this.retention =
        new PeriodicTask(
            "webhook-retention",
            RETENTION_ROUND,
            () -> {
              int _ = deliveries.prune();
              return RETENTION_ROUND;
            });
    LaneStore lanes = new LaneStore(database);
    this.waker = new LaneWaker(lanes);
    this.deliverySender =
        new DeliverySender(
            lanes,
            deliveries,
            endpointSecretSealer,
            ssrfGuard,
            new DeliveryLimiter(sendsMax),
            waker,
            meters,
            clock);
    this.workflow = new LaneWorkflow(deliverySender, database, sendsMax);
  }

  public List<Endpoint> endpoints() {
    return endpoints.endpoints();
  }

  /** Registers the delivery workflow. */
  public void register(Durable.Builder engine) {
    workflow.register(engine);
  }

  /** Starts routing, retries and the deletion of old deliveries. */
  public void start() {
    deliveryRouter.start();
    retention.startAfter(RETENTION_ROUND);
    waker.start();
  }

  DeliverySender sender() {
    return deliverySender;
  }

  @Override
  public void close() {
    deliveryRouter.close();
    retention.close();
    waker.close();
  }
}
