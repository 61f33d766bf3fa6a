package io.convoke.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of the login, which several programs of a user may write. */
class StoredLoginTest {
  private static final int ROUNDS = 100;
  private static final List<StoredLogin> LOGINS =
      Stream.of("cvk_a", "cvk_bb", "cvk_ccc", "cvk_dddd")
          .map(key -> new StoredLogin(URI.create("https://convoke.example.org"), key))
          .toList();

  @TempDir private Path config;

  @Test
  void loginsAtTheSameTimeAllSucceedAndOneOfThemIsStored() throws Exception {
    Path folder = config.resolve("convoke");
    Path file = folder.resolve("login.json");
    CyclicBarrier together = new CyclicBarrier(LOGINS.size());
    try (var threads = Executors.newFixedThreadPool(LOGINS.size())) {
      List<Future<Integer>> programs = new ArrayList<>();
      for (StoredLogin login : LOGINS) {
        programs.add(threads.submit(() -> storeInEachRound(login, file, together)));
      }
      for (Future<Integer> program : programs) {
        assertThat(program.get()).isEqualTo(ROUNDS);
      }
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(file);
    }
  }

  private static int storeInEachRound(StoredLogin login, Path file, CyclicBarrier together)
      throws Exception {
    int stored = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int _ = together.await(10, TimeUnit.SECONDS);
      login.write(file);
      assertThat(StoredLogin.read(file).orElseThrow()).isIn(LOGINS);
      stored++;
    }
    return stored;
  }
}
