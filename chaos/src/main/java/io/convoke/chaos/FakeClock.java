package io.convoke.chaos;

import io.convoke.simulator.process.DebianPackages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Adjustable wall clock of one process, through Debian's libfaketime. The monotonic clock is
 * unaffected.
 */
public final class FakeClock {
  private static final Path LIBRARIES = Path.of("/usr/lib");
  private static final String NAME = "faketime/libfaketimeMT.so.1";

  private final Path library;
  private final Path file;

  private FakeClock(Path library, Path file) {
    this.library = library;
    this.file = file;
    ahead(Duration.ZERO);
  }

  /** A clock whose offset is read from a file; empty if libfaketime is not installed. */
  public static Optional<FakeClock> in(Path file) {
    boolean _ = DebianPackages.ensure(() -> library().isPresent(), "libfaketime");
    return library().map(found -> new FakeClock(found, file));
  }

  /** A clock of a program that is so far ahead from the start; empty without a difference. */
  public static Optional<FakeClock> shifted(Path folder, String program, Duration ahead) {
    Optional<FakeClock> clock =
        ahead.isZero() ? Optional.empty() : in(folder.resolve(program + ".clock"));
    clock.ifPresent(it -> it.ahead(ahead));
    return clock;
  }

  /** Running processes pick it up within a few seconds, new ones at once. */
  public void ahead(Duration ahead) {
    try {
      Path _ = Files.writeString(file, "%+d\n".formatted(ahead.toSeconds()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Environment variables of a process that uses this clock. */
  public Map<String, String> environment() {
    // Without FAKETIME_FORCE_MONOTONIC_FIX, waits on the monotonic clock would end at once.
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "FAKETIME_TIMESTAMP_FILE", file.toString(),
        "FAKETIME_CACHE_DURATION", "1",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "FAKETIME_FORCE_MONOTONIC_FIX", "0",
        "NO_FAKE_STAT", "1");
  }

  private static Optional<Path> library() {
    try (Stream<Path> folders = Files.list(LIBRARIES)) {
      return folders.map(folder -> folder.resolve(NAME)).filter(Files::isReadable).findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
