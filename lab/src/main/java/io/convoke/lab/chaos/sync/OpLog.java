package io.convoke.lab.chaos.sync;

import io.convoke.lab.chaos.sync.verdict.Op;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * All calls about one meeting, in a file: ten million of them would not fit into memory. Many
 * callers append; afterwards it can be read from the beginning as often as one likes.
 */
final class OpLog implements Iterable<Op>, AutoCloseable {
  /** Kind, status, id, version, start, end. */
  private static final int BYTES = 2 + 4 * Long.BYTES;

  private static final int BUFFERED = 2_000;

  private final FileChannel file;
  private final ReentrantLock lock = new ReentrantLock();
  private final ByteBuffer waiting = ByteBuffer.allocate(BUFFERED * BYTES);

  OpLog(Path path) throws IOException {
    this.file =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
  }

  void add(Op op) {
    lock.lock();
    try {
      if (waiting.remaining() < BYTES) {
        write();
      }
      waiting
          .put(code(op.kind()))
          .put((byte) op.status())
          .putLong(op.id())
          .putLong(op.version())
          .putLong(op.start())
          .putLong(op.end());
    } finally {
      lock.unlock();
    }
  }

  /** Reads what was added until now. */
  @Override
  public Iterator<Op> iterator() {
    lock.lock();
    try {
      write();
      return new Reading(file, file.size());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      lock.unlock();
    }
  }

  private void write() {
    try {
      waiting.flip();
      while (waiting.hasRemaining()) {
        int _ = file.write(waiting);
      }
      waiting.clear();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private static byte code(Op.Kind kind) {
    return switch (kind) {
      case WRITE -> 'w';
      case READ -> 'r';
      case STALE_READ -> 's';
    };
  }

  private static Op.Kind kind(byte code) {
    return switch (code) {
      case 'w' -> Op.Kind.WRITE;
      case 'r' -> Op.Kind.READ;
      case 's' -> Op.Kind.STALE_READ;
      default -> throw new IllegalStateException("nobody noted a call of kind " + code);
    };
  }

  /** Reads the file piece by piece. */
  private static final class Reading implements Iterator<Op> {
    private final FileChannel file;
    private final long size;
    private final ByteBuffer piece = ByteBuffer.allocate(BUFFERED * BYTES).limit(0);
    private long at;

    private Reading(FileChannel file, long size) {
      this.file = file;
      this.size = size;
    }

    @Override
    public boolean hasNext() {
      return piece.hasRemaining() || at < size;
    }

    @Override
    public Op next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      if (!piece.hasRemaining()) {
        fill();
      }
      Op.Kind kind = kind(piece.get());
      char status = (char) piece.get();
      return new Op(
          kind, piece.getLong(), piece.getLong(), status, piece.getLong(), piece.getLong());
    }

    private void fill() {
      piece.clear().limit((int) Math.min(piece.capacity(), size - at));
      try {
        while (piece.hasRemaining()) {
          int read = file.read(piece, at + piece.position());
          if (read < 0) {
            throw new IOException("the file of a meeting became shorter");
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      at += piece.limit();
      piece.flip();
    }
  }
}
