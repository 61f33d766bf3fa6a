package io.convoke.chaos.flows;

import io.convoke.engine.durable.ActivityContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Append-only log of activity attempts in a file, which survives the process. Times are the
 * machine's monotonic clock and the process' wall clock.
 */
final class AttemptLog {
  private final FileChannel file;

  AttemptLog(Path path) throws IOException {
    this.file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  void begin(ActivityContext context) throws IOException {
    write("begin", context);
  }

  void end(ActivityContext context) throws IOException {
    write("end", context);
  }

  private void write(String what, ActivityContext context) throws IOException {
    String line =
        "%s %d %d %s %d\n"
            .formatted(
                what,
                System.nanoTime(),
                System.currentTimeMillis(),
                context.key(),
                context.attempt());
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
    synchronized (this) {
      while (bytes.hasRemaining()) {
        int _ = file.write(bytes);
      }
    }
  }
}
