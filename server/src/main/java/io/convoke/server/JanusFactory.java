package io.convoke.server;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.server.config.JanusSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.Endpoint;
import io.convoke.server.join.JoinEndpoints;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusClient;
import io.convoke.server.platform.janus.JanusConfig;
import io.convoke.server.platform.janus.JanusSessions;
import io.convoke.server.presence.ApiBudget;
import io.convoke.server.presence.EventIntake;
import io.convoke.server.presence.PolledPlatform;
import io.convoke.server.presence.PresenceConfig;
import io.convoke.server.presence.PresenceFeature;
import io.convoke.server.presence.RedisRateLimiter;
import io.convoke.server.rooms.RoomClaims;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Wires the parts that need a Janus. */
final class JanusFactory {
  private JanusFactory() {}

  /** The names of the platforms that are polled besides the first one. */
  static Set<String> polled(ServerConfig serverConfig) {
    return JanusConfig.of(serverConfig).isPresent() ? Set.of("janus") : Set.of();
  }

  /** The admin API of the configured Janus, within its budget. */
  static Optional<JanusAdmin> admin(ServerConfig serverConfig, Redis redis) {
    return JanusConfig.of(serverConfig)
        .map(config -> new JanusAdmin(config, new RedisRateLimiter(redis, ApiBudget.JANUS)));
  }

  /** Rooms that users make and people join in their browser, if clients reach the Janus. */
  static List<Endpoint> rooms(
      JanusAdmin admin, ServerConfig serverConfig, RoomClaims claims, SecretBox secrets) {
    return serverConfig
        .get(JanusSettings.JANUS_URL)
        .map(
            url ->
                new JoinEndpoints(
                        admin,
                        new JanusSessions(url, serverConfig.get(JanusSettings.JANUS_API_SECRET)),
                        claims,
                        secrets,
                        serverConfig.get(JanusSettings.PUBLIC_URL),
                        InstantSource.system())
                    .endpoints())
        .orElse(List.of());
  }

  /** Presence in the rooms of a Janus, beside that of {@code first}. */
  static PresenceFeature presence(
      JanusAdmin admin,
      ServerConfig serverConfig,
      Redis redis,
      Database database,
      Journal journal,
      LeaseRenewer leases,
      RoomTracking tracking,
      String first,
      String node,
      MeterRegistry meters) {
    return new PresenceFeature(
        redis,
        database,
        journal,
        leases,
        new PolledPlatform(
            new JanusClient(admin, InstantSource.system()),
            new EventIntake.JanusEvents(serverConfig.get(JanusSettings.JANUS_EVENT_SECRET)),
            ApiBudget.JANUS,
            Set.of(first),
            false),
        tracking,
        PresenceConfig.of(serverConfig),
        // A name of its own: a lease that one loop lost must not live by the heartbeat of another.
        node + "-janus",
        meters,
        InstantSource.system());
  }
}
