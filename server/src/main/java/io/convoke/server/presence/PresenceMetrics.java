package io.convoke.server.presence;

import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of presence. Labels are closed sets. */
final class PresenceMetrics {
  private final MeterRegistry registry;
  private final LongAdder byWebhook = new LongAdder();
  private final LongAdder byTimer = new LongAdder();

  /** Changes that this node committed since the last call of {@link #found}, by source. */
  record ChangesBySource(long byWebhook, long byTimer) {}

  PresenceMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  void webhook(String outcome) {
    registry.counter("convoke.presence.webhooks", "outcome", outcome).increment();
  }

  /** {@code outcome}: OK, STALE or the cause of a platform error. */
  void polled(String outcome) {
    registry
        .counter("convoke.presence.polls", "outcome", outcome.toLowerCase(Locale.ROOT))
        .increment();
  }

  /** Counts a poll request that arrived during a poll ({@code presence-11}). */
  void recordPollRetry() {
    registry.counter("convoke.presence.polls.repeated").increment();
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

  /** Changes since the last call; resets the counts. */
  ChangesBySource found() {
    return new ChangesBySource(byWebhook.sumThenReset(), byTimer.sumThenReset());
  }

  /** {@code outcome}: kept, unneeded or over. */
  void recordBotReport(String outcome) {
    registry.counter("convoke.presence.bot.reports", "outcome", outcome).increment();
  }

  /** {@code action}: checked, repaired or refused. */
  void recordWebhookCheck(String action) {
    registry.counter("convoke.presence.webhook.checks", "action", action).increment();
  }

  void recordTick(String outcome) {
    registry.counter("convoke.presence.ticks", "outcome", outcome).increment();
  }

  void recordDeadLetter(String reason) {
    registry.counter("convoke.presence.dead.letters", "reason", reason).increment();
  }
}
