package io.convoke.server.webhooks;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
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

  /** Lookups of registrations at a time, apart from those of deliveries. */
  private static final int REGISTRATIONS_MAX = 8;

  private static final int REGISTRATIONS_OF_USER_MAX = 2;
  private static final int LOOKUPS_MIN = 64;

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
        new SsrfGuard(
            allowPrivate, new BoundedAddressResolver(REGISTRATIONS_MAX, REGISTRATIONS_OF_USER_MAX)),
        new SsrfGuard(allowPrivate, ofDeliveries(sendsMax)),
        sendsMax,
        registry,
        clock);
  }

  WebhooksFeature(
      Database database,
      Journal journal,
      SecretBox secrets,
      SsrfGuard registrations,
      SsrfGuard sends,
      int sendsMax,
      MeterRegistry registry,
      InstantSource clock) {
    WebhookEndpointStore store = new WebhookEndpointStore(database, journal);
    DeliveryStore deliveries = new DeliveryStore(database, journal);
    EndpointSecretSealer endpointSecretSealer = new EndpointSecretSealer(secrets);
    WebhookMetrics meters = new WebhookMetrics(registry);
    this.deliveryRouter = new DeliveryRouter(database, journal, deliveries, meters);
    this.retention =
        new PeriodicTask(
            "webhook-retention",
            RETENTION_ROUND,
            () -> {
              int _ = deliveries.prune();
              return RETENTION_ROUND;
            });
    this.endpoints =
        new WebhookEndpoints(
            store, deliveries, journal, endpointSecretSealer, registrations, retention::wake);
    LaneStore lanes = new LaneStore(database);
    this.waker = new LaneWaker(lanes);
    this.deliverySender =
        new DeliverySender(
            lanes,
            deliveries,
            endpointSecretSealer,
            sends,
            new DeliveryLimiter(sendsMax),
            waker,
            meters,
            clock);
    this.workflow = new LaneWorkflow(deliverySender, database, sendsMax);
  }

  /** As many lookups as deliveries, and a quarter for a user, as {@link DeliveryLimiter} has it. */
  private static BoundedAddressResolver ofDeliveries(int sendsMax) {
    int lookups = Math.max(LOOKUPS_MIN, sendsMax);
    return new BoundedAddressResolver(lookups, lookups / 4);
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

  /** A user is enabled, in this transaction: what waited meanwhile is sent after its commit. */
  public void enabled(Tx tx, long userId) {
    LaneStore.wake(tx, userId);
    tx.afterCommit(() -> waker.wakeAfter(Duration.ZERO));
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
