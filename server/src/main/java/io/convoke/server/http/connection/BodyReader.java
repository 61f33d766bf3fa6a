package io.convoke.server.http.connection;

import io.convoke.server.http.Problem;
import io.helidon.http.HeaderNames;
import io.helidon.http.RequestException;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads request bodies within bounds of size and time. The web server itself has no bound for how
 * long they are in all, since some endpoints take gigabytes. A body that is too large is read on
 * for a while and thrown away before the answer, since a client that is still sending would
 * otherwise see a reset instead of the 413.
 */
public final class BodyReader {
  private static final Logger log = LoggerFactory.getLogger(BodyReader.class);
  private static final byte[] EMPTY = new byte[0];
  private static final int CHUNK = 16 * 1024;
  private static final long DISCARD_MAX_BYTES = 16L << 20;
  private static final Duration DISCARD_MAX_TIME = Duration.ofSeconds(5);

  private final SocketTimeouts watch;
  private final Duration timeout;

  public BodyReader(SocketTimeouts watch, Duration timeout) {
    this.watch = watch;
    this.timeout = timeout;
  }

  /**
   * The whole body.
   *
   * @throws Problem 413 beyond {@code max} bytes, 408 if it arrives too slowly; one that stops
   *     arriving closes the connection, since its reader cannot be freed in any other way
   */
  public byte[] read(ServerRequest request, int max) {
    if (!request.content().hasEntity()) {
      return EMPTY;
    }
    SocketTimeouts.WatchedWait watchedWait = watch.begin(timeout.plus(SocketTimeouts.GRAIN));
    try {
      return readWatched(request, max);
    } finally {
      if (!watchedWait.end()) {
        log.debug("a request body stopped arriving");
      }
    }
  }

  /**
   * The body while it arrives.
   *
   * @throws Problem 413 at once if it is announced as larger than {@code max} bytes
   */
  public InputStream stream(ServerRequest request, long max) {
    if (!request.content().hasEntity()) {
      return InputStream.nullInputStream();
    }
    OptionalLong _ = length(request, max);
    return new WatchedBody(request.content().inputStream(), max);
  }

  /** A body whose every read is bounded in time, and whose size is bounded. */
  private final class WatchedBody extends InputStream {
    private final InputStream in;
    private final long max;
    private long read;

    private WatchedBody(InputStream in, long max) {
      this.in = in;
      this.max = max;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      SocketTimeouts.WatchedWait watchedWait = watch.begin(timeout);
      try {
        int got = in.read(into, from, length);
        read += Math.max(0, got);
        if (read > max) {
          throw tooLarge(max).closingConnection();
        }
        return got;
      } catch (RequestException | IllegalArgumentException _) {
        throw Problem.badRequest("body", "is not framed as HTTP requires").closingConnection();
      } finally {
        if (!watchedWait.end()) {
          log.debug("a request body stopped arriving");
        }
      }
    }
  }

  /** The announced length, unless it is too large. */
  private OptionalLong length(ServerRequest request, long max) {
    OptionalLong length = request.headers().contentLength();
    if (length.isPresent() && length.getAsLong() > max) {
      if (willSendRegardless(request)) {
        discard(request.content().inputStream());
      }
      throw tooLarge(max);
    }
    return length;
  }

  private byte[] readWatched(ServerRequest request, int max) {
    OptionalLong length = length(request, max);
    try {
      InputStream in = request.content().inputStream();
      return length.isPresent()
          ? readExactly(in, (int) length.getAsLong(), timeout)
          : readUpTo(in, max);
    } catch (RequestException | IllegalArgumentException _) {
      // The web server's own findings about chunks, the second kind by accident.
      throw Problem.badRequest("body", "is not framed as HTTP requires").closingConnection();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes memory for what arrives: any client may announce a length and send nothing. */
  static byte[] readExactly(InputStream in, int length, Duration timeout) throws IOException {
    byte[] body = new byte[Math.min(length, CHUNK)];
    int filled = Math.max(in.read(body, 0, body.length), 0);
    if (filled == length) {
      return body;
    }
    long deadline = deadline(timeout);
    while (filled < length) {
      if (filled == body.length) {
        body = Arrays.copyOf(body, (int) Math.min(length, 2L * filled));
      }
      int read = in.read(body, filled, body.length - filled);
      if (read < 0) {
        return Arrays.copyOf(body, filled);
      }
      filled += read;
      checkDeadline(deadline);
    }
    return body;
  }

  private byte[] readUpTo(InputStream in, int max) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] chunk = new byte[CHUNK];
    long deadline = deadline(timeout);
    for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
      body.write(chunk, 0, read);
      if (body.size() > max) {
        discard(in);
        throw tooLarge(max);
      }
      checkDeadline(deadline);
    }
    return body.toByteArray();
  }

  private static boolean willSendRegardless(ServerRequest request) {
    ServerRequestHeaders headers = request.headers();
    return !headers.contains(HeaderNames.EXPECT) || request.continueSent();
  }

  private void discard(InputStream in) {
    byte[] chunk = new byte[CHUNK];
    long deadline = deadline(DISCARD_MAX_TIME);
    SocketTimeouts.WatchedWait watchedWait = watch.begin(timeout);
    try {
      long total = 0;
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        total += read;
        if (total > DISCARD_MAX_BYTES || System.nanoTime() - deadline > 0) {
          return;
        }
      }
    } catch (IOException | UncheckedIOException | CloseConnectionException _) {
      // The client gave up first; the answer may still reach it.
    } finally {
      boolean _ = watchedWait.end();
    }
  }

  private static void checkDeadline(long deadline) {
    if (System.nanoTime() - deadline > 0) {
      throw tooSlow();
    }
  }

  private static long deadline(Duration after) {
    return System.nanoTime() + after.toNanos();
  }

  private static Problem tooLarge(long max) {
    return Problem.of(413, "too_large", "The body is larger than " + max + " bytes.")
        .closingConnection();
  }

  private static Problem tooSlow() {
    return Problem.of(408, "timeout", "The body did not arrive in time.").closingConnection();
  }
}
