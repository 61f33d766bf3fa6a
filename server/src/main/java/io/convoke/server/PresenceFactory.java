package io.convoke.server;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.presence.PolledPlatform;
import io.convoke.server.presence.PresenceConfig;
import io.convoke.server.presence.PresenceFeature;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;

/** Wires presence on each polled platform, with the parts that all of them share. */
record PresenceFactory(
    Redis redis,
    Database database,
    Journal journal,
    LeaseRenewer leases,
    RoomTracking tracking,
    PresenceConfig config,
    MeterRegistry meters) {

  PresenceFactory {
    double bound = config.freshnessBound().toMillis() / 1000.0;
    // A supplier, because a gauge holds a plain number weakly and reports NaN once it is collected.
    Gauge _ =
        Gauge.builder("convoke.presence.freshness.bound.seconds", () -> bound).register(meters);
  }

  /**
   * Presence on one platform.
   *
   * @param node its own for each platform: a lease that one loop lost must not live by the
   *     heartbeat of another
   */
  PresenceFeature on(PolledPlatform platform, String node) {
    return new PresenceFeature(
        redis,
        database,
        journal,
        leases,
        platform,
        tracking,
        config,
        node,
        meters,
        InstantSource.system());
  }
}
