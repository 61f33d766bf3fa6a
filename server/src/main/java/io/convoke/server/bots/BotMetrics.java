package io.convoke.server.bots;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;

/** Metrics of bots on this node. Labels are closed sets. */
final class BotMetrics {
  private final MeterRegistry registry;
  private final Timer lag;
  private final DistributionSummary group;

  BotMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.lag =
        Timer.builder("convoke.bots.heartbeat.lag")
            .description("from a heartbeat's arrival to its row")
            .publishPercentileHistogram()
            .maximumExpectedValue(Duration.ofSeconds(5))
            .register(registry);
    this.group =
        DistributionSummary.builder("convoke.bots.heartbeat.batch")
            .description("heartbeats written by one statement")
            .register(registry);
  }

  /**
   * {@code outcome}: launched, failed, cancelled, missed, refused (no place left) or unavailable.
   */
  void launch(String outcome) {
    registry.counter("convoke.bots.launches", "outcome", outcome).increment();
  }

  /** Counts a bot that this node moved to its end. */
  void ended(String status, BotOutcome botOutcome) {
    registry
        .counter(
            "convoke.bots.ended",
            "status",
            status,
            "attribution",
            botOutcome.attribution().name().toLowerCase(Locale.ROOT),
            "reason",
            // A reason that a bot invents would be a label without a bound.
            OutcomeClassifier.KNOWN.containsKey(botOutcome.reason())
                ? botOutcome.reason()
                : "other")
        .increment();
  }

  /** Counts entries of the streams of Vexa's image, stored ones and those passed over. */
  void streamed(int stored, int refused) {
    registry.counter("convoke.bots.stream.entries", "result", "stored").increment(stored);
    registry.counter("convoke.bots.stream.entries", "result", "refused").increment(refused);
  }

  void recordHeartbeatLag(Duration waited) {
    lag.record(waited);
  }

  void written(int heartbeats) {
    group.record(heartbeats);
  }

  void swept(BotSweeper.BotSweepResult botSweepResult) {
    if (botSweepResult.ours()) {
      count("convoke.bots.sweeps", 1);
      count("convoke.bots.sweep.capped", botSweepResult.capped() ? 1 : 0);
    }
    count("convoke.bots.sweep.ended", botSweepResult.ended());
    count("convoke.bots.sweep.unreachable", botSweepResult.unreachable());
    count("convoke.bots.sweep.orphans", botSweepResult.orphans());
  }

  private void count(String name, int more) {
    registry.counter(name).increment(more);
  }
}
