package io.convoke.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrphanReaperTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path folder;

  @Test
  void aFolderIsDeletedWhenTheProcessesThatUseItHaveEnded() throws IOException {
    Path stores = Files.createDirectory(folder.resolve("of a run"));
    Path _ = Files.writeString(stores.resolve("data"), "rows");
    Process writer =
        new ProcessBuilder(
                "sh", "-c", "trap 'sleep 1; echo end > last; exit' TERM; sleep 60 & wait")
            .directory(stores.toFile())
            .start();
    try (OrphanReaper reaper = new OrphanReaper()) {
      reaper.guard(writer, "TERM");
      reaper.deleteAtEnd(stores);
    }
    long deadline = System.nanoTime() + SOON.toNanos();
    while (Files.exists(stores)) {
      assertThat(System.nanoTime() - deadline).isNegative();
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(writer.onExit().orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join().isAlive())
        .isFalse();
  }
}
