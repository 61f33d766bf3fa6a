package io.convoke.agent.pod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The clock that a pod and a shell script share: hundredths of a second since boot, from {@code
 * /proc/uptime}.
 */
final class BootClock {
  /** Returned where the system has no such clock. */
  static final long NONE = -1;

  private static final Path UPTIME = Path.of("/proc/uptime");

  private BootClock() {}

  /**
   * The time after this duration; {@link #NONE} without such a clock. The clock is read first, so
   * that a pause in between makes the result too early, never too late.
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
