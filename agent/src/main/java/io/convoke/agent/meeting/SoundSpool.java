package io.convoke.agent.meeting;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Sound that waits to be sent, on disk instead of in memory. Its file has no name, so that nothing
 * is left of it when the process is killed.
 */
final class SoundSpool implements AutoCloseable {
  private final long bytesMax;
  private final FileChannel file;
  private long end;
  private int waiting;

  /** A place in the file. */
  record SpoolEntry(long at, int bytes) {}

  /** At most so many bytes wait. */
  SoundSpool(long bytesMax) throws IOException {
    this.bytesMax = bytesMax;
    Path path = Files.createTempFile("convoke-sound-", ".pcm");
    this.file =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    Files.delete(path);
  }

  /**
   * Stores sound behind all other.
   *
   * @throws IOException if too much waits
   */
  synchronized SpoolEntry add(byte[] pcm) throws IOException {
    if (end + pcm.length > bytesMax) {
      throw new IOException("more than " + bytesMax + " bytes wait");
    }
    SpoolEntry entry = new SpoolEntry(end, pcm.length);
    ByteBuffer buffer = ByteBuffer.wrap(pcm);
    while (buffer.hasRemaining()) {
      end += file.write(buffer, end);
    }
    waiting++;
    return entry;
  }

  synchronized byte[] read(SpoolEntry entry) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(entry.bytes());
    while (buffer.hasRemaining()) {
      if (file.read(buffer, entry.at() + buffer.position()) < 0) {
        throw new IOException("waiting sound is missing");
      }
    }
    return buffer.array();
  }

  /** An entry is sent; the file is empty again once all are. */
  synchronized void done() throws IOException {
    waiting--;
    if (waiting == 0) {
      FileChannel _ = file.truncate(0);
      end = 0;
    }
  }

  @Override
  public synchronized void close() throws IOException {
    file.close();
  }
}
