package io.convoke.server;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.server.config.JanusSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.dispatch.TaskRule;
import io.convoke.server.egress.EgressFeature;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.join.EgressTokens;
import io.convoke.server.join.JoinEndpoints;
import io.convoke.server.join.RecordedRooms;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusClient;
import io.convoke.server.platform.janus.JanusConfig;
import io.convoke.server.platform.janus.JanusRecordingFolder;
import io.convoke.server.platform.janus.JanusRecordingSource;
import io.convoke.server.platform.janus.JanusSessions;
import io.convoke.server.presence.ApiBudget;
import io.convoke.server.presence.EventIntake;
import io.convoke.server.presence.PolledPlatform;
import io.convoke.server.presence.RedisRateLimiter;
import io.convoke.server.recordings.RecordingPlatform;
import io.convoke.server.recordings.TrackBucket;
import io.convoke.server.rooms.RoomClaims;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

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
      JanusAdmin admin,
      ServerConfig serverConfig,
      Database database,
      RoomClaims claims,
      SecretBox secrets,
      QuotaCheck quotas) {
    return serverConfig
        .get(JanusSettings.JANUS_URL)
        .map(
            url ->
                new JoinEndpoints(
                        database,
                        admin,
                        new JanusSessions(url, serverConfig.get(JanusSettings.JANUS_API_SECRET)),
                        claims,
                        new RecordedRooms(database, folder(serverConfig)),
                        quotas,
                        secrets,
                        serverConfig.get(JanusSettings.PUBLIC_URL),
                        InstantSource.system())
                    .endpoints())
        .orElse(List.of());
  }

  /** The recordings that the Janus leaves in a folder, if that is configured. */
  static Optional<RecordingPlatform> recordings(JanusAdmin admin, ServerConfig serverConfig) {
    return folder(serverConfig)
        .map(
            folder ->
                new RecordingPlatform(
                    new JanusRecordingSource(
                        new JanusClient(admin, InstantSource.system()),
                        folder,
                        InstantSource.system()),
                    Optional.of(new TrackBucket.JanusBucket(folder)),
                    JanusSettings.JANUS_RECORDINGS.name()));
  }

  /** Users record, stream and picture rooms that are theirs, with tokens that are theirs. */
  static TaskRule egressOfOwners(JanusAdmin admin, RoomClaims claims, SecretBox secrets) {
    EgressTokens tokens = new EgressTokens(admin, secrets);
    return new TaskRule() {
      @Override
      public void check(long user, String type, String channel) {
        if (type.equals(EgressFeature.TYPE) && !claims.owns("janus", channel, user)) {
          throw claims.refused();
        }
      }

      @Override
      public ObjectNode payload(
          Optional<Long> user, String type, String channel, ObjectNode submitted) {
        JsonNode token = submitted.path("access_token");
        return type.equals(EgressFeature.TYPE) && token.isString()
            ? submitted
                .deepCopy()
                .put("access_token", tokens.secret(token.asString(), user, channel))
            : submitted;
      }

      @Override
      public boolean stores(String type, ObjectNode submitted) {
        return type.equals(EgressFeature.TYPE)
            && !submitted.path("kind").asString("").equals("push");
      }
    };
  }

  private static Optional<JanusRecordingFolder> folder(ServerConfig serverConfig) {
    return serverConfig
        .get(JanusSettings.JANUS_RECORDINGS)
        .map(Path::of)
        .map(JanusRecordingFolder::new);
  }

  /** The rooms of a Janus, polled beside those of {@code first}. */
  static PolledPlatform platform(JanusAdmin admin, ServerConfig serverConfig, String first) {
    return new PolledPlatform(
        new JanusClient(admin, InstantSource.system()),
        new EventIntake.JanusEvents(serverConfig.get(JanusSettings.JANUS_EVENT_SECRET)),
        ApiBudget.JANUS,
        Set.of(first),
        false);
  }
}
