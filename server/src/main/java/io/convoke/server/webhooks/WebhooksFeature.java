package io.convoke.server.webhooks;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.server.http.Endpoint;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;

/**
 * Webhooks out, ready to be wired: what they serve, what they follow, and the workflow that sends.
 */
public final class WebhooksFeature implements AutoCloseable {
  private final WebhookEndpoints endpoints;
  private final DeliveryRouter deliveryRouter;
  private final LaneWorkflow workflow;
  private final LaneWaker waker;
  private final DeliverySender deliverySender;

  /** Messages that a node sends at a time, where nothing else is said. */
  public static final int SENDS_MAX = 64;

  /**
   * Over stores that are open.
   *
   * @param allowPrivate whether messages may go to addresses that are not public
   * @param sendsMax messages that this node sends at a time; 0 where it runs no activities
   */
  public WebhooksFeature(
      Database database,
      Journal journal,
      EndpointSecretSealer endpointSecretSealer,
      boolean allowPrivate,
      int sendsMax,
      MeterRegistry registry,
      InstantSource clock) {
    this(
        database,
        journal,
        endpointSecretSealer,
        new SsrfGuard(allowPrivate, new BoundedAddressResolver()),
        sendsMax,
        registry,
        clock);
  }

  WebhooksFeature(
      Database database,
      Journal journal,
      EndpointSecretSealer endpointSecretSealer,
      SsrfGuard ssrfGuard,
      int sendsMax,
      MeterRegistry registry,
      InstantSource clock) {
    WebhookEndpointStore store = new WebhookEndpointStore(database, journal);
    DeliveryStore deliveries = new DeliveryStore(database, journal);
    WebhookMetrics meters = new WebhookMetrics(registry);
    this.endpoints =
        new WebhookEndpoints(store, deliveries, journal, endpointSecretSealer, ssrfGuard);
    this.deliveryRouter = new DeliveryRouter(database, journal, deliveries, meters);
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

  /** Gives the engine the workflow that sends. */
  public void register(Durable.Builder engine) {
    workflow.register(engine);
  }

  /** Begins to make deliveries of what happens. */
  public void start() {
    deliveryRouter.start();
    waker.start();
  }

  DeliverySender sender() {
    return deliverySender;
  }

  @Override
  public void close() {
    deliveryRouter.close();
    waker.close();
  }
}
