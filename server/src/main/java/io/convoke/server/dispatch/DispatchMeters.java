package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Enqueued;
import io.convoke.engine.dispatch.Place;
import io.convoke.engine.dispatch.Region;
import io.convoke.engine.dispatch.Survey;
import io.convoke.engine.dispatch.Tender;
import io.convoke.engine.dispatch.Told;
import io.convoke.engine.redis.RedisUnavailable;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * What is counted of tasks, by region. Gauges are the fleet's, read by one Redis call for all of a
 * scrape; counters are this node's. Names of regions come from outside: beyond {@value
 * #REGIONS_MAX} they are counted as one.
 */
final class DispatchMeters implements Tender.Watch {
  private static final int REGIONS_MAX = 100;
  private static final String REST = "other";
  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

  private final MeterRegistry registry;
  private final Set<String> labels = ConcurrentHashMap.newKeySet();
  private final Set<String> gauged = ConcurrentHashMap.newKeySet();
  private Reading last = Reading.NONE;
  private long readAt = System.nanoTime() - FRESH_NANOS;

  /** What Redis said last; unknown while it is away. */
  private record Reading(boolean known, Map<String, Region> regions, long untold) {
    static final Reading NONE = new Reading(false, Map.of(), 0);

    double of(String region, ToDoubleFunction<Region> value) {
      if (!known) {
        return Double.NaN;
      }
      Region found = regions.get(region);
      return found == null ? 0 : value.applyAsDouble(found);
    }
  }

  /** Where the gauges are read. */
  @FunctionalInterface
  interface Look {
    Survey survey();
  }

  DispatchMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Offers the gauges; those of a region appear once it was seen. */
  void watch(Look look) {
    var _ =
        Gauge.builder("convoke.dispatch.outbox", this, it -> it.untold(look))
            .description("moves of tasks that wait for the ledger")
            .register(registry);
  }

  /** An answer to who asked for a task. */
  void submitted(Enqueued enqueued) {
    String outcome =
        switch (enqueued) {
          case Enqueued.Created _ -> "created";
          case Enqueued.Known _ -> "known";
          case Enqueued.IdTaken _ -> "id_taken";
          case Enqueued.ChannelBusy _ -> "channel_busy";
          case Enqueued.QueueFull _ -> "queue_full";
        };
    registry.counter("convoke.dispatch.submitted", "outcome", outcome).increment();
  }

  /** Moves that are in the ledger: starts are those to processing, ends those to an end. */
  void moved(List<Told> moves) {
    for (Told told : moves) {
      registry
          .counter(
              "convoke.dispatch.moves",
              "region",
              label(told.region().orElse(Place.GLOBAL)),
              "state",
              told.move().state().name().toLowerCase(Locale.ROOT))
          .increment();
    }
  }

  @Override
  public void swept(Tender.Sweep sweep, String region, int count) {
    registry
        .counter(
            "convoke.dispatch.swept",
            "region",
            label(region),
            "sweep",
            sweep.name().toLowerCase(Locale.ROOT))
        .increment(count);
  }

  private double untold(Look look) {
    Reading reading = read(look);
    reading.regions().keySet().forEach(region -> gauges(look, region));
    return reading.known() ? reading.untold() : Double.NaN;
  }

  private void gauges(Look look, String region) {
    if (!label(region).equals(region) || !gauged.add(region)) {
      return;
    }
    gauge(look, region, "pending", "tasks that wait", Region::pending);
    gauge(look, region, "processing", "tasks that its pods run", Region::processing);
    gauge(look, region, "pods", "pods that live and take tasks", Region::pods);
    gauge(look, region, "slots", "slots of its pods", Region::slots);
    gauge(look, region, "slots.free", "slots that have no task", Region::free);
    gauge(
        look,
        region,
        "pending.oldest.seconds",
        "how long the task that waits longest has waited",
        it -> it.oldest().map(age -> age.toMillis() / 1000.0).orElse(0.0));
  }

  private void gauge(
      Look look, String region, String name, String what, ToDoubleFunction<Region> value) {
    var _ =
        Gauge.builder("convoke.dispatch." + name, this, it -> it.read(look).of(region, value))
            .description(what)
            .tag("region", region)
            .register(registry);
  }

  private synchronized Reading read(Look look) {
    if (System.nanoTime() - readAt < FRESH_NANOS) {
      return last;
    }
    try {
      Survey survey = look.survey();
      Map<String, Region> regions = new HashMap<>();
      survey.regions().forEach(region -> regions.put(region.name(), region));
      last = new Reading(true, regions, survey.untold());
    } catch (RedisUnavailable e) {
      last = Reading.NONE;
    }
    readAt = System.nanoTime();
    return last;
  }

  private String label(String region) {
    if (labels.contains(region)) {
      return region;
    }
    return labels.size() < REGIONS_MAX && labels.add(region) ? region : REST;
  }
}
