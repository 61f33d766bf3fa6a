package io.convoke.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WorkFolderTest {
  @Test
  void foldersOfAKilledProcessAreDeletedWhenTheyAreOld() throws Exception {
    Instant before = Instant.now().minusSeconds(3600);
    try (WorkFolder young = WorkFolder.open();
        WorkFolder old = WorkFolder.open()) {
      Path left = Files.writeString(old.file("audio.wav"), "x");
      for (Path path : List.of(left, left.getParent())) {
        var _ = Files.setLastModifiedTime(path, FileTime.from(before.minusSeconds(1)));
      }
      assertThat(WorkFolder.deleteAbandoned(before)).isPositive();
      assertThat(left.getParent()).doesNotExist();
      assertThat(young.file("audio.wav").getParent()).exists();
      var _ = Files.createDirectory(left.getParent());
    }
  }
}
