package io.convoke.server.presence;

import io.convoke.server.presence.Decision.Change;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;

/** What presence counts. Labels are closed sets. */
final class PresenceMeters {
  private final MeterRegistry registry;

  PresenceMeters(MeterRegistry registry, PresenceTerms terms) {
    this.registry = registry;
    registry.gauge(
        "convoke.presence.freshness.bound.seconds", terms.freshnessBound().toMillis() / 1000.0);
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

  void changed(List<Change> changes) {
    for (Change change : changes) {
      registry
          .counter(
              "convoke.presence.changes",
              "source",
              change.source().text(),
              "change",
              change instanceof Change.Joined ? "joined" : "left")
          .increment();
    }
  }

  void ticked(String how) {
    registry.counter("convoke.presence.ticks", "how", how).increment();
  }

  void letter(String reason) {
    registry.counter("convoke.presence.dead.letters", "reason", reason).increment();
  }
}
