package io.convoke.agent.egress;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.RetryPolicy;
import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.FolderBlobStore;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What pods have stored of an egress is read again. */
class EgressLedgerTest {
  private static final String SOUND = "egress/t-1/001-001/voice-0-00001-1772442000000-4000.ogg";

  @TempDir private Path folder;

  @Test
  void aSegmentThatEndedBeforeItsFirstSoundIsLeftOut() throws Exception {
    try (FolderBlobStore blobs = new FolderBlobStore(folder)) {
      for (String key :
          List.of(
              SOUND,
              "egress/t-1/001-002/voice-0-00001-1772442009000-0.ogg",
              "egress/t-1/001-002/segment-00001-1772442009000-0.ts",
              "egress/t-1/001-001/part.json")) {
        var _ =
            blobs.put(
                new BlobKey(key),
                new ByteArrayInputStream("head".getBytes(StandardCharsets.UTF_8)));
      }
      assertThat(EgressLedger.open(blobs, "t-1", RetryPolicy.NONE).segments())
          .extracting(it -> it.key().text())
          .containsExactly(SOUND);
    }
  }
}
