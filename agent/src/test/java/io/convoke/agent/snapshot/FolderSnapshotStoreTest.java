package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pictures in a folder that the server's blob store can read. */
class FolderSnapshotStoreTest {
  @Test
  void aPictureLiesWholeUnderItsName(@TempDir Path folder) throws IOException {
    new FolderSnapshotStore(folder).keep("snapshots/t/t-1-000001.png", new byte[] {1, 2, 3});
    assertThat(folder.resolve("blobs/snapshots/t/t-1-000001.png"))
        .hasBinaryContent(new byte[] {1, 2, 3});
    assertThat(folder.resolve("partial")).isEmptyDirectory();
  }

  @Test
  void noneIsEverOverwritten(@TempDir Path folder) throws IOException {
    FolderSnapshotStore pictures = new FolderSnapshotStore(folder);
    pictures.keep("snapshots/t/one.png", new byte[] {1});
    assertThatThrownBy(() -> pictures.keep("snapshots/t/one.png", new byte[] {2}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("already");
    assertThat(folder.resolve("blobs/snapshots/t/one.png")).hasBinaryContent(new byte[] {1});
    assertThat(folder.resolve("partial")).isEmptyDirectory();
  }

  @Test
  void noNameLeavesTheFolder(@TempDir Path folder) throws IOException {
    FolderSnapshotStore pictures = new FolderSnapshotStore(folder.resolve("store"));
    assertThatThrownBy(() -> pictures.keep("../../out.png", new byte[] {1}))
        .isInstanceOf(IOException.class);
    assertThat(Files.exists(folder.resolve("out.png"))).isFalse();
  }
}
