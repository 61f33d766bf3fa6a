package io.convoke.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What making a release does to the folder that it is given. */
class MainTest {
  private static final List<String> OTHERS =
      List.of(
          "notes.txt", "convoke", "convoke-server.conf", "SHA256SUMS.old", "convoke-own-1.tar.gz");

  @TempDir Path folder;

  @Test
  void filesOfAnEarlierReleaseGoAndAllOthersStay() throws IOException {
    Release earlier = new Release("1.2.0-SNAPSHOT", Instant.EPOCH, "linux", "x86_64");
    for (Product product : Product.ALL) {
      write(earlier.archive(product) + ".tar.gz");
      write(earlier.archive(product) + ".cdx.json");
      write(new DebianPackage(product, earlier).fileName());
    }
    write("convoke-docs-1.2.0-SNAPSHOT.tar.gz");
    write("SHA256SUMS");
    for (String other : OTHERS) {
      write(other);
    }
    Path kept = Files.createDirectories(folder.resolve("convoke-server-1.0.tar.gz/kept"));

    Main.removeEarlier(folder);

    try (var left = Files.list(folder)) {
      assertThat(left.filter(Files::isRegularFile).map(it -> it.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(OTHERS);
    }
    assertThat(kept).isDirectory();
  }

  private void write(String name) throws IOException {
    Path _ = Files.writeString(folder.resolve(name), name);
  }
}
