package io.convoke.server;

import io.convoke.server.blobs.BlobStore;
import io.convoke.server.blobs.FolderBlobs;
import io.convoke.server.blobs.S3Blobs;
import io.convoke.server.blobs.S3Terms;
import io.convoke.server.config.Config;
import io.convoke.server.config.WorkSettings;
import io.convoke.server.crm.Crm;
import io.convoke.server.crm.Crms;
import io.convoke.server.recordings.Recordings;
import io.convoke.server.transcribe.Transcribers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** What recordings are worked on with, by the configuration. */
final class RecordingTools {
  private static final String FILE = "file:";
  private static final String S3 = "s3://";

  private RecordingTools() {}

  static Recordings.Tools of(Config config, Path data) {
    return new Recordings.Tools(
        blobs(config, data),
        Transcribers.of(
            config.get(WorkSettings.TRANSCRIBER), config.get(WorkSettings.TRANSCRIBER_KEY)),
        crm(config));
  }

  private static BlobStore blobs(Config config, Path data) {
    Optional<String> store = config.get(WorkSettings.BLOB_STORE);
    if (store.isPresent() && store.get().startsWith(S3)) {
      return new S3Blobs(s3(config, URI.create(store.get())));
    }
    Path folder =
        store
            .map(text -> Path.of(text.startsWith(FILE) ? text.substring(FILE.length()) : text))
            .orElseGet(() -> data.resolve("blobs"));
    try {
      return new FolderBlobs(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep blobs in " + folder, e);
    }
  }

  private static S3Terms s3(Config config, URI store) {
    String path = Optional.ofNullable(store.getPath()).orElse("");
    return new S3Terms(
        store.getAuthority(),
        path.replaceAll("^/+|/+$", ""),
        config.get(WorkSettings.S3_ENDPOINT),
        config.get(WorkSettings.S3_REGION),
        config
            .get(WorkSettings.S3_ACCESS_KEY)
            .flatMap(
                access ->
                    config
                        .get(WorkSettings.S3_SECRET_KEY)
                        .map(secret -> new S3Terms.Keys(access, secret))));
  }

  private static Optional<Crm> crm(Config config) {
    Optional<String> secret = config.get(WorkSettings.CRM_SECRET);
    return config
        .get(WorkSettings.CRM_URL)
        .map(
            url ->
                switch (config.get(WorkSettings.CRM_KIND)) {
                  case GENERIC -> Crms.generic(url, secret);
                  case HUBSPOT -> Crms.hubSpot(url, secret);
                });
  }
}
