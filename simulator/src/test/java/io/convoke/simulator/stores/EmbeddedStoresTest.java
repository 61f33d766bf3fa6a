package io.convoke.simulator.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What folders of stores may be, and what a start that was killed leaves in them. */
final class EmbeddedStoresTest {
  /** A start tries an initdb for each of the locales. */
  private static final int LOCALES = 3;

  @Test
  void aFolderOfPostgresWhoseInitdbWasKilledIsMadeAnew(@TempDir Path folder) throws IOException {
    Path programs = folder.resolve("programs");
    Path made = folder.resolve("made");
    Files.createDirectories(programs.resolve("bin"));
    Path initdb = programs.resolve("bin/initdb");
    Files.writeString(
        initdb,
        """
        #!/bin/sh
        mkdir "$2" && echo 18 > "$2/PG_VERSION" && echo "$2" >> '%s'
        kill -9 $$
        """
            .formatted(made));
    Files.setPosixFilePermissions(initdb, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path stores = folder.resolve("postgres");
    try (OrphanReaper orphanReaper = new OrphanReaper()) {
      for (int starts = 1; starts <= 2; starts++) {
        assertThatThrownBy(
                () -> EmbeddedPostgres.start(programs, stores, orphanReaper, true, List.of()))
            .isInstanceOf(ChildProcessException.class)
            .hasMessageContaining("initdb failed");
        assertThat(Files.readAllLines(made)).hasSize(starts * LOCALES);
      }
    }
  }

  @Test
  void aFolderOfRedisMayHaveSpacesAndQuotesInItsName(@TempDir Path folder) {
    Path data = folder.resolve("my \"own\" \\ data");
    try (OrphanReaper orphanReaper = new OrphanReaper();
        EmbeddedRedis _ = EmbeddedRedis.start(data, orphanReaper)) {
      assertThat(data.resolve("appendonlydir")).isDirectory();
    }
  }
}
