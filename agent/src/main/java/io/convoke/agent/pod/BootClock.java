package io.convoke.agent.pod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The clock that a pod and a shell can both read: hundredths of a second since the machine began,
 * as Linux tells them in {@code /proc/uptime}.
 */
final class BootClock {
  /** What there is to say where the system has no such clock. */
  static final long NONE = -1;

  private static final Path UPTIME = Path.of("/proc/uptime");

  private BootClock() {}

  /**
   * When this much time will have passed; {@link #NONE} without such a clock. The clock is read
   * first, so whoever hangs in between is told an earlier time and not a later one.
   */
  static long in(Supplier<Duration> left) {
    try {
      String text = Files.readString(UPTIME);
      long now = Long.parseLong(text.substring(0, text.indexOf(' ')).replace(".", ""));
      return Math.max(0, now + left.get().toMillis() / 10);
    } catch (IOException | RuntimeException e) {
      return NONE;
    }
  }
}
