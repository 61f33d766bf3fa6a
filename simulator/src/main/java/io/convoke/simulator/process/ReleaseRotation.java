package io.convoke.simulator.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Lets programs take turns between this release and an earlier one, as in a rolling upgrade that is
 * rolled back and begun again: of several programs every other one starts in the earlier release,
 * and each restart of a program changes its release.
 */
public final class ReleaseRotation {
  private static final String PREVIOUS = "convoke.previous";

  /** The starts of programs so far, by log file; guarded by itself. */
  private static final Map<Path, Integer> STARTS = new HashMap<>();

  private static ReleaseStarts counts = new ReleaseStarts(0, 0);

  private ReleaseRotation() {}

  /** How many programs were started in each of the two releases. */
  public record ReleaseStarts(int previous, int current) {
    private ReleaseStarts and(boolean inPrevious) {
      return inPrevious
          ? new ReleaseStarts(previous + 1, current)
          : new ReleaseStarts(previous, current + 1);
    }
  }

  /**
   * Begins the rotation in this process.
   *
   * @param home the folder of the earlier release's {@code ./convoke}, built
   * @throws IllegalArgumentException if it is not built
   */
  public static void with(Path home) {
    if (!Files.isDirectory(home.resolve("server/target/lib"))) {
      throw new IllegalArgumentException(
          home + " is no built checkout: run ./convoke migrate --help there once");
    }
    String _ = System.setProperty(PREVIOUS, home.toAbsolutePath().toString());
  }

  /** The starts of this process since it began the rotation; empty without one. */
  public static Optional<ReleaseStarts> starts() {
    synchronized (STARTS) {
      return Optional.ofNullable(System.getProperty(PREVIOUS)).map(_ -> counts);
    }
  }

  /** Ends the rotation. */
  public static void end() {
    String _ = System.clearProperty(PREVIOUS);
    synchronized (STARTS) {
      STARTS.clear();
      counts = new ReleaseStarts(0, 0);
    }
  }

  /** The folder of the earlier release if the next start of a program is of that one. */
  static Optional<Path> next(Path log) {
    return Optional.ofNullable(System.getProperty(PREVIOUS))
        .filter(
            _ -> {
              synchronized (STARTS) {
                int start = STARTS.getOrDefault(log, STARTS.size());
                Integer _ = STARTS.put(log, start + 1);
                boolean inPrevious = start % 2 == 0;
                counts = counts.and(inPrevious);
                return inPrevious;
              }
            })
        .map(Path::of);
  }
}
