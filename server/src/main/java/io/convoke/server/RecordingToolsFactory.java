package io.convoke.server;

import io.convoke.server.blobs.BlobStore;
import io.convoke.server.blobs.FolderBlobStore;
import io.convoke.server.blobs.S3BlobStore;
import io.convoke.server.blobs.S3Config;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.CrmConnectorFactory;
import io.convoke.server.recordings.RecordingsFeature;
import io.convoke.server.transcribe.TranscriberFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Creates the clients and stores for recordings, from the configuration. */
final class RecordingToolsFactory {
  private static final String FILE = "file:";
  private static final String S3 = "s3://";

  private RecordingToolsFactory() {}

  static RecordingsFeature.RecordingDependencies of(ServerConfig serverConfig, Path data) {
    return new RecordingsFeature.RecordingDependencies(
        blobs(serverConfig, data),
        TranscriberFactory.of(
            serverConfig.get(BackgroundWorkSettings.TRANSCRIBER),
            serverConfig.get(BackgroundWorkSettings.TRANSCRIBER_KEY)),
        crm(serverConfig));
  }

  private static BlobStore blobs(ServerConfig serverConfig, Path data) {
    Optional<String> store = serverConfig.get(BackgroundWorkSettings.BLOB_STORE);
    if (store.isPresent() && store.get().startsWith(S3)) {
      return new S3BlobStore(s3(serverConfig, URI.create(store.get())));
    }
    Path folder =
        store
            .map(text -> Path.of(text.startsWith(FILE) ? text.substring(FILE.length()) : text))
            .orElseGet(() -> data.resolve("blobs"));
    try {
      return new FolderBlobStore(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot store blobs in " + folder, e);
    }
  }

  private static S3Config s3(ServerConfig serverConfig, URI store) {
    String path = Optional.ofNullable(store.getPath()).orElse("");
    return new S3Config(
        store.getAuthority(),
        path.replaceAll("^/+|/+$", ""),
        serverConfig.get(BackgroundWorkSettings.S3_ENDPOINT),
        serverConfig.get(BackgroundWorkSettings.S3_REGION),
        serverConfig
            .get(BackgroundWorkSettings.S3_ACCESS_KEY)
            .flatMap(
                access ->
                    serverConfig
                        .get(BackgroundWorkSettings.S3_SECRET_KEY)
                        .map(secret -> new S3Config.S3Credentials(access, secret))));
  }

  private static Optional<CrmConnector> crm(ServerConfig serverConfig) {
    Optional<String> secret = serverConfig.get(BackgroundWorkSettings.CRM_SECRET);
    return serverConfig
        .get(BackgroundWorkSettings.CRM_URL)
        .map(
            url ->
                switch (serverConfig.get(BackgroundWorkSettings.CRM_KIND)) {
                  case GENERIC -> CrmConnectorFactory.generic(url, secret);
                  case HUBSPOT -> CrmConnectorFactory.hubSpot(url, secret);
                });
  }
}
