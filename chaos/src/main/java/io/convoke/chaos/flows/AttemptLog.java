package io.convoke.chaos.flows;

import io.convoke.engine.durable.ActivityContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What attempts tell the world outside: lines that stay, whatever happens to this process a moment
 * later. The times are the machine's monotonic clock and this process' own.
 */
final class AttemptLog {
  private final FileChannel file;

  AttemptLog(Path path) throws IOException {
    this.file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  void begin(ActivityContext context) throws IOException {
    say("begin", context);
  }

  void end(ActivityContext context) throws IOException {
    say("end", context);
  }

  private void say(String what, ActivityContext context) throws IOException {
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
