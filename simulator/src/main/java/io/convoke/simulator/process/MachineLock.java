package io.convoke.simulator.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A lock that one process of this machine holds at a time. It is released when the holder exits,
 * however that happens. Two threads of one process must not request the same.
 */
public final class MachineLock implements AutoCloseable {
  private final FileChannel file;

  private MachineLock(FileChannel file) {
    this.file = file;
  }

  /** Waits until no other process holds it. */
  public static MachineLock acquire(String name) {
    Path path = Path.of(System.getProperty("java.io.tmpdir"), "convoke-" + name + ".lock");
    try {
      FileChannel file =
          FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      var _ = file.lock();
      return new MachineLock(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot lock " + path, e);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
