package io.convoke.agent.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A network stream that is closed when it stalls, and whose failures can be distinguished from
 * those of the consumer.
 */
public final class StallTimeoutStream extends FilterInputStream {
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final long silenceMax;
  private final Thread watch;
  private volatile long heardAt = System.nanoTime();
  private volatile boolean ended;
  private volatile boolean cut;

  /** A failure of the network. */
  public static final class StreamInterrupted extends IOException {
    private static final long serialVersionUID = 1;

    private StreamInterrupted(IOException cause) {
      super("the connection broke: " + cause.getMessage(), cause);
    }
  }

  /** {@code silenceMax} is how long the network may send nothing. */
  public StallTimeoutStream(InputStream stream, Duration silenceMax) {
    super(stream);
    this.silenceMax = silenceMax.toNanos();
    this.watch = Thread.ofVirtual().name("http-silence").start(this::watch);
  }

  @Override
  public int read() throws IOException {
    try {
      int next = in.read();
      heardAt = System.nanoTime();
      return next;
    } catch (IOException e) {
      throw new StreamInterrupted(e);
    }
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    try {
      int read = in.read(buffer, offset, length);
      heardAt = System.nanoTime();
      if (read < 0 && cut) {
        throw new IOException("no data before the timeout");
      }
      return read;
    } catch (IOException e) {
      throw new StreamInterrupted(e);
    }
  }

  @Override
  public void close() throws IOException {
    ended = true;
    LockSupport.unpark(watch);
    super.close();
  }

  private void watch() {
    while (!ended) {
      LockSupport.parkNanos(Math.min(LOOK.toNanos(), silenceMax));
      if (!ended && System.nanoTime() - heardAt > silenceMax) {
        cut = true;
        try {
          in.close();
        } catch (IOException e) {
          // The reader sees the end of the stream either way.
        }
        return;
      }
    }
  }
}
