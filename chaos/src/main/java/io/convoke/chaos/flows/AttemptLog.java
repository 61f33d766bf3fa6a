package io.convoke.chaos.flows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Append-only log of attempts of activities and jobs, and of flows that are awaited, in a file,
 * which survives the process. Times are the machine's monotonic clock and the process' wall clock.
 */
final class AttemptLog {
  /** Instead of a result; those of flows are sums that are never negative. */
  static final long FAILED = -1;

  private final FileChannel file;

  AttemptLog(Path path) throws IOException {
    this.file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  void begin(String key, int attempt) throws IOException {
    write("begin", key, attempt);
  }

  void end(String key, int attempt) throws IOException {
    write("end", key, attempt);
  }

  void awaits(String flow) throws IOException {
    write("await", flow, 1);
  }

  /** A caller that awaits a flow is told its result, or {@link #FAILED}. */
  void told(String flow, long result) throws IOException {
    write("told", flow, result);
  }

  private void write(String what, String key, long number) throws IOException {
    String line =
        "%s %d %d %s %d\n"
            .formatted(what, System.nanoTime(), System.currentTimeMillis(), key, number);
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
    synchronized (this) {
      while (bytes.hasRemaining()) {
        int _ = file.write(bytes);
      }
    }
  }
}
