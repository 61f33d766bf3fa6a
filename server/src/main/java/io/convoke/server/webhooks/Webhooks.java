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
public final class Webhooks implements AutoCloseable {
  private final WebhookEndpoints endpoints;
  private final Router router;
  private final LaneWorkflow workflow;
  private final LaneWaker waker;
  private final Sender sender;

  /** Messages that a node sends at a time, where nothing else is said. */
  public static final int SENDS_MAX = 64;

  /**
   * Over stores that are open.
   *
   * @param allowPrivate whether messages may go to addresses that are not public
   * @param sendsMax messages that this node sends at a time; 0 where it runs no activities
   */
  public Webhooks(
      Database database,
      Journal journal,
      Secrets secrets,
      boolean allowPrivate,
      int sendsMax,
      MeterRegistry registry,
      InstantSource clock) {
    this(
        database,
        journal,
        secrets,
        new Addresses(allowPrivate, new BoundedResolver()),
        sendsMax,
        registry,
        clock);
  }

  Webhooks(
      Database database,
      Journal journal,
      Secrets secrets,
      Addresses addresses,
      int sendsMax,
      MeterRegistry registry,
      InstantSource clock) {
    EndpointStore store = new EndpointStore(database, journal);
    DeliveryStore deliveries = new DeliveryStore(database, journal);
    WebhookMeters meters = new WebhookMeters(registry);
    this.endpoints = new WebhookEndpoints(store, deliveries, journal, secrets, addresses);
    this.router = new Router(database, journal, deliveries, meters);
    LaneStore lanes = new LaneStore(database);
    this.waker = new LaneWaker(lanes);
    this.sender =
        new Sender(
            lanes, deliveries, secrets, addresses, new SendLimits(sendsMax), waker, meters, clock);
    this.workflow = new LaneWorkflow(sender, database, sendsMax);
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
    router.start();
    waker.start();
  }

  Sender sender() {
    return sender;
  }

  @Override
  public void close() {
    router.close();
    waker.close();
  }
}
