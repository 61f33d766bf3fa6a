package io.convoke.server.presence;

import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** What presence counts. Labels are closed sets. */
final class PresenceMetrics {
  private final MeterRegistry registry;
  private final LongAdder byWebhook = new LongAdder();
  private final LongAdder byTimer = new LongAdder();

  /** Changes that this node committed since it was last asked, by the path that found them. */
  record ChangesBySource(long byWebhook, long byTimer) {}

  PresenceMetrics(MeterRegistry registry, PresenceConfig terms) {
    this.registry = registry;
    double bound = terms.freshnessBound().toMillis() / 1000.0;
    // By a supplier: a number on its own would be held weakly, and told as NaN once it is gone.
    Gauge.builder("convoke.presence.freshness.bound.seconds", () -> bound).register(registry);
  }

  void webhook(String outcome) {
    registry.counter("convoke.presence.webhooks", "outcome", outcome).increment();
  }

  /** {@code outcome}: OK, STALE or the cause of an outage. */
  void polled(String outcome) {
    registry
        .counter("convoke.presence.polls", "outcome", outcome.toLowerCase(Locale.ROOT))
        .increment();
  }

  /** Somebody asked for a poll while one ran: the state that seed 000 lacks. */
  void recordPollRetry() {
    registry.counter("convoke.presence.polls.asked.again").increment();
  }

  void changed(List<PresenceChange> changes) {
    for (PresenceChange presenceChange : changes) {
      switch (presenceChange.source()) {
        case WEBHOOK -> byWebhook.increment();
        case TIMER, BULK -> byTimer.increment();
        case BOT, POLL, MEETING_END -> {}
      }
      registry
          .counter(
              "convoke.presence.changes",
              "source",
              presenceChange.source().text(),
              "change",
              presenceChange instanceof PresenceChange.Joined ? "joined" : "left")
          .increment();
    }
  }

  /** What was found since the last call. */
  ChangesBySource found() {
    return new ChangesBySource(byWebhook.sumThenReset(), byTimer.sumThenReset());
  }

  /** {@code outcome}: kept, unneeded or over. */
  void witnessed(String outcome) {
    registry.counter("convoke.presence.reports", "outcome", outcome).increment();
  }

  /** {@code action}: looked, mended or refused. */
  void watched(String action) {
    registry.counter("convoke.presence.webhook.watch", "action", action).increment();
  }

  void ticked(String how) {
    registry.counter("convoke.presence.ticks", "how", how).increment();
  }

  void letter(String reason) {
    registry.counter("convoke.presence.dead.letters", "reason", reason).increment();
  }
}
