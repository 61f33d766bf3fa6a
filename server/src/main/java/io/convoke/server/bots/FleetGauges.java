package io.convoke.server.bots;

import io.convoke.server.loop.GaugeReading;
import io.convoke.server.meetings.MeetingStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;

/**
 * Gauges of the whole fleet of bots, read by one statement per scrape. While the database is
 * unreachable they are absent.
 */
final class FleetGauges {
  /** Within which one reading serves all gauges. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  /** Overdue bots that are read; there are more only in a major outage. */
  private static final int LOOKED_AT = 200;

  private final BotStore store;
  private final SweepStore sweeps;
  private final BotDeadlines botDeadlines;
  private final GaugeReading<FleetReading> reading =
      new GaugeReading<>("bots-gauges", FRESH, 1, this::read);

  FleetGauges(BotStore store, SweepStore sweeps, BotDeadlines botDeadlines) {
    this.store = store;
    this.sweeps = sweeps;
    this.botDeadlines = botDeadlines;
  }

  /** Shows the gauges from now on. */
  void register(MeterRegistry registry) {
    for (MeetingStatus status : MeetingStatus.values()) {
      if (!status.terminal()) {
        Gauge.builder("convoke.bots.live", () -> reading.of(it -> it.live(status)))
            .strongReference(true)
            .tag("status", status.wireName())
            .register(registry);
      }
    }
    Gauge.builder("convoke.bots.overdue.seconds", () -> reading.of(FleetReading::overdueSeconds))
        .strongReference(true)
        .description("how long the bot that is overdue longest has been")
        .register(registry);
  }

  private record FleetReading(Map<MeetingStatus, Long> live, Duration overdue) {
    double live(MeetingStatus status) {
      return live.getOrDefault(status, 0L);
    }

    double overdueSeconds() {
      return overdue.toMillis() / 1000.0;
    }
  }

  private FleetReading read() {
    Map<MeetingStatus, Long> live = store.live();
    return new FleetReading(live, live.isEmpty() ? Duration.ZERO : oldest());
  }

  /** By the bots' own deadlines, without the grace that the sweep adds after server downtime. */
  private Duration oldest() {
    Instant now = store.now();
    return sweeps.due(Instant.EPOCH, LOOKED_AT).stream()
        .flatMap(row -> botDeadlines.of(row).stream())
        .map(end -> Duration.between(end, now))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }
}
