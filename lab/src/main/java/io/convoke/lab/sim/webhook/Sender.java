package io.convoke.lab.sim.webhook;

import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.time.Draws;
import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.world.WorldEvent;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Sends what happens to the registered webhook: events of one room in order, rooms side by side,
 * unless a fault drops, repeats, delays or reorders them. Faults are decided when an event happens,
 * in the order of events; the endpoint's state counts when it is sent.
 */
public final class Sender implements Consumer<WorldEvent>, AutoCloseable {

  private static final int MAX_TRIES = 5;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
  private final Ledger ledger = new Ledger();
  private final SimTime time;
  private final Faults faults;
  private final SenderSettings settings;
  private final Envelopes envelopes;
  private final Poster poster;
  private final Registry registry;
  private volatile boolean closed;

  public Sender(SimTime time, Draws draws, Faults faults, SenderSettings settings) {
    this.time = time;
    this.faults = faults;
    this.settings = settings;
    this.envelopes = new Envelopes(draws, faults);
    this.poster = new Poster(time, settings);
    this.registry = new Registry(poster, time);
  }

  public Registry registry() {
    return registry;
  }

  public Ledger ledger() {
    return ledger;
  }

  @Override
  public void accept(WorldEvent event) {
    if (!closed) {
      envelopes.of(event).ifPresent(this::dispatch);
    }
  }

  private void dispatch(Envelope event) {
    String subject = event.type() + " " + event.room();
    String key = event.type() + " " + event.label();
    if (faults.strike(FaultKind.WEBHOOK_DROP, subject, key).isPresent()) {
      ledger.add(Delivery.dropped(event));
      return;
    }
    Optional<Duration> repeat = faults.strike(FaultKind.WEBHOOK_REPEAT, subject, key);
    Optional<Duration> delay = faults.strike(FaultKind.WEBHOOK_DELAY, subject, key);
    boolean reordered = faults.strike(FaultKind.WEBHOOK_REORDER, subject, key).isPresent();
    ledger.add(
        Delivery.pending(
            event, delay.orElse(Duration.ZERO), reordered, repeat.isPresent() ? 2 : 1));
    Lane lane = lanes.computeIfAbsent(event.room(), room -> new Lane(threads));
    Runnable first = () -> attempt(event, 1);
    if (delay.isPresent()) {
      time.after(delay.get(), () -> lane.submit(first));
    } else if (reordered) {
      lane.hold(first);
      Duration longest = faults.get(FaultKind.WEBHOOK_REORDER).amount();
      time.after(longest.isZero() ? settings.timeout() : longest, () -> lane.release(first));
    } else {
      lane.submit(first);
    }
    repeat.ifPresent(
        later ->
            time.after(
                delay.orElse(Duration.ZERO).plus(later),
                () -> lane.submit(() -> attempt(event, 1))));
  }

  private void attempt(Envelope event, int tries) {
    Optional<Endpoint> wanting = registry.current().filter(e -> e.wants(event.type()));
    if (wanting.isEmpty()) {
      ledger.change(event.id(), d -> d.copyEnded(Delivery.Fate.UNWANTED));
      return;
    }
    Endpoint endpoint = wanting.get();
    if (endpoint.state() == Endpoint.State.FAILED) {
      ledger.change(event.id(), d -> d.copyEnded(Delivery.Fate.SUPPRESSED));
      return;
    }
    Attempt attempt = poster.post(endpoint, Json.write(event.body()));
    registry.note(
        endpoint.uuid(),
        e -> attempt.succeeded() ? e.delivered(attempt.at()) : e.failed(attempt.at()));
    boolean again =
        !attempt.succeeded() && endpoint.retryType() == RetryType.EXPONENTIAL && tries < MAX_TRIES;
    if (again) {
      // Scheduled before it is announced, so that a test that waits for this attempt can count on
      // the next.
      Duration gap = time.scaled(settings.gapAfter(tries));
      time.after(gap, () -> threads.execute(() -> attempt(event, tries + 1)));
    }
    ledger.change(
        event.id(),
        d -> again ? d.attempted(attempt) : d.attempted(attempt).copyEnded(Delivery.Fate.FAILED));
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
    poster.close();
  }
}
