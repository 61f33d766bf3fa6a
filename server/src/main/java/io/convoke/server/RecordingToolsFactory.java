package io.convoke.server;

import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStoreConfig;
import io.convoke.engine.redis.Redis;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.crm.CrmAccounts;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.CrmConnectorFactory;
import io.convoke.server.media.MediaTool;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.presence.RedisRateLimiter;
import io.convoke.server.recordings.RecordingsFeature;
import io.convoke.server.recordings.TrackBucket;
import io.convoke.server.transcribe.TranscriberFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Creates the clients and stores for recordings, from the configuration. */
public final class RecordingToolsFactory {
  private static final String S3 = "s3://";

  private RecordingToolsFactory() {}

  /**
   * Reads what the clients of buckets are given, as a server does at its start. No bucket is
   * connected to.
   *
   * @throws InvalidConfigException with what a server would refuse
   */
  public static void check(ServerConfig serverConfig) {
    Stream.concat(
            serverConfig.get(BackgroundWorkSettings.BLOB_STORE).stream(),
            serverConfig.get(BackgroundWorkSettings.DAILY_TRACKS).map(URI::toString).stream())
        .filter(location -> location.startsWith(S3))
        .forEach(location -> store(serverConfig, location).close());
  }

  static RecordingsFeature.RecordingDependencies of(
      ServerConfig serverConfig,
      Path data,
      Redis redis,
      CrmAccounts accounts,
      Optional<JanusAdmin> janus) {
    return new RecordingsFeature.RecordingDependencies(
        blobs(serverConfig, data),
        new MediaTool(serverConfig.get(BackgroundWorkSettings.FFMPEG)),
        serverConfig.get(BackgroundWorkSettings.DAILY_TRACKS).map(at -> tracks(serverConfig, at)),
        TranscriberFactory.of(
            serverConfig.get(BackgroundWorkSettings.TRANSCRIBER),
            serverConfig.get(BackgroundWorkSettings.TRANSCRIBER_KEY)),
        crm(serverConfig, redis, accounts),
        janus.flatMap(admin -> JanusFactory.recordings(admin, serverConfig)));
  }

  private static BlobStore blobs(ServerConfig serverConfig, Path data) {
    String location =
        serverConfig
            .get(BackgroundWorkSettings.BLOB_STORE)
            .orElseGet(() -> "file:" + data.resolve("blobs"));
    return store(serverConfig, location);
  }

  private static TrackBucket tracks(ServerConfig serverConfig, URI location) {
    return "s3".equals(location.getScheme())
        ? new TrackBucket.StoreBucket(store(serverConfig, location.toString()))
        : new TrackBucket.HttpBucket(location);
  }

  private static BlobStore store(ServerConfig serverConfig, String location) {
    try {
      return new BlobStoreConfig(
              location,
              serverConfig.get(BackgroundWorkSettings.S3_ENDPOINT),
              serverConfig.get(BackgroundWorkSettings.S3_REGION),
              BlobStoreConfig.S3Credentials.of(
                  serverConfig.get(BackgroundWorkSettings.S3_ACCESS_KEY),
                  serverConfig.get(BackgroundWorkSettings.S3_SECRET_KEY)))
          .open();
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigException(List.of(String.valueOf(e.getMessage())));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot store blobs in " + location, e);
    }
  }

  private static Optional<CrmConnector> crm(
      ServerConfig serverConfig, Redis redis, CrmAccounts accounts) {
    Optional<String> secret = serverConfig.get(BackgroundWorkSettings.CRM_SECRET);
    return serverConfig
        .get(BackgroundWorkSettings.CRM_URL)
        .map(
            url ->
                switch (serverConfig.get(BackgroundWorkSettings.CRM_KIND)) {
                  case GENERIC -> CrmConnectorFactory.generic(url, secret);
                  case HUBSPOT ->
                      CrmConnectorFactory.hubSpotOfUsers(
                          url,
                          secret,
                          accounts,
                          serverConfig.get(BackgroundWorkSettings.CRM_OWNER),
                          account -> RedisRateLimiter.ofHubSpot(redis, account));
                });
  }
}
