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
  private final StreamWorkflow workflow;
  private final Sender sender;

  /** {@code allowPrivate}: messages may go to addresses that are not public. */
  public Webhooks(
      Database database,
      Journal journal,
      Secrets secrets,
      boolean allowPrivate,
      MeterRegistry registry,
      InstantSource clock) {
    this(
        database,
        journal,
        secrets,
        new Addresses(allowPrivate, Addresses.Resolver.SYSTEM),
        registry,
        clock);
  }

  Webhooks(
      Database database,
      Journal journal,
      Secrets secrets,
      Addresses addresses,
      MeterRegistry registry,
      InstantSource clock) {
    EndpointStore store = new EndpointStore(database, journal);
    DeliveryStore deliveries = new DeliveryStore(database, journal);
    WebhookMeters meters = new WebhookMeters(registry);
    this.endpoints = new WebhookEndpoints(store, deliveries, journal, secrets, addresses);
    this.router = new Router(database, journal, deliveries, meters);
    this.sender = new Sender(store, deliveries, secrets, addresses, meters, clock);
    this.workflow = new StreamWorkflow(sender);
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
  }

  Sender sender() {
    return sender;
  }

  @Override
  public void close() {
    router.close();
  }
}
