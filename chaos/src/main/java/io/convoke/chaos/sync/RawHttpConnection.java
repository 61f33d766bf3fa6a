package io.convoke.chaos.sync;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one server, with hand-written HTTP/1.1: on two cores the JDK's client costs more
 * than the server it calls. Reconnects on the next call after a failure.
 */
final class RawHttpConnection implements AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(1);

  /** Longer than a server retries a write. */
  private static final Duration ANSWER_MAX = Duration.ofSeconds(12);

  private static final int BUFFER = 8 * 1024;
  private static final int STATUS_AT = 9;
  private static final String LENGTH = "\r\ncontent-length:";
  private static final String TAG = "\r\netag:";
  private static final String CACHE = "\r\ncache-status:";
  private static final String CLOSE = "\r\nconnection: close\r\n";

  private final URI server;
  private final String head;
  private byte[] buffer = new byte[BUFFER];
  private @Nullable Socket socket;

  RawHttpConnection(URI server, String token) {
    this.server = server;
    this.head =
        "Host: "
            + server.getAuthority()
            + "\r\nAuthorization: Bearer "
            + token
            + "\r\nContent-Type: application/json\r\n";
  }

  /**
   * A response.
   *
   * @param tag its entity tag, in lower case as the next; both empty without
   * @param cache its {@code Cache-Status}
   */
  record RawHttpResponse(int status, String body, String tag, String cache) {}

  /** Reads a status, unless it has the known entity tag; empty for none. */
  Optional<RawHttpResponse> read(String meeting, String known) {
    String condition = known.isEmpty() ? "" : "If-None-Match: " + known + "\r\n";
    return call("GET /sync-status?meeting_id=" + meeting + " HTTP/1.1\r\n" + condition, "");
  }

  /** Posts an update. */
  Optional<RawHttpResponse> write(String body) {
    return call("POST /sync-status HTTP/1.1\r\n", body);
  }

  /** Empty without a response: the request may have been executed or not. */
  private Optional<RawHttpResponse> call(String line, String body) {
    byte[] request =
        (line + head + "Content-Length: " + body.length() + "\r\n\r\n" + body)
            .getBytes(StandardCharsets.ISO_8859_1);
    try {
      Socket open = socket == null ? connect() : socket;
      open.getOutputStream().write(request);
      return Optional.of(answer(open.getInputStream()));
    } catch (IOException e) {
      close();
      return Optional.empty();
    }
  }

  private Socket connect() throws IOException {
    Socket fresh = new Socket();
    try {
      fresh.setTcpNoDelay(true);
      fresh.setSoTimeout((int) ANSWER_MAX.toMillis());
      fresh.connect(
          new InetSocketAddress(server.getHost(), server.getPort()), (int) CONNECT_MAX.toMillis());
      socket = fresh;
      return fresh;
    } catch (IOException e) {
      fresh.close();
      throw e;
    }
  }

  /** Reads one response; requests are not pipelined, so nothing follows it. */
  private RawHttpResponse answer(InputStream answers) throws IOException {
    int filled = 0;
    int headEnd = -1;
    while (headEnd < 0) {
      int before = Math.max(0, filled - 3);
      filled += more(answers, filled);
      headEnd = headEnd(before, filled);
    }
    String fields = text(0, headEnd + 2).toLowerCase(Locale.ROOT);
    if (!fields.startsWith("http/1.1 ")) {
      throw new IOException("not an HTTP response");
    }
    int status = Integer.parseInt(fields.substring(STATUS_AT, STATUS_AT + 3));
    int body = headEnd + 4;
    int length = length(fields);
    while (filled < body + length) {
      filled += more(answers, filled);
    }
    if (fields.contains(CLOSE)) {
      close();
    }
    return new RawHttpResponse(
        status, text(body, length), field(fields, TAG), field(fields, CACHE));
  }

  private int more(InputStream answers, int filled) throws IOException {
    if (filled == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    int read = answers.read(buffer, filled, buffer.length - filled);
    if (read < 0) {
      throw new IOException("the connection ended");
    }
    return read;
  }

  private int headEnd(int from, int filled) {
    for (int i = from; i + 3 < filled; i++) {
      if (buffer[i] == '\r'
          && buffer[i + 1] == '\n'
          && buffer[i + 2] == '\r'
          && buffer[i + 3] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private static int length(String fields) {
    String length = field(fields, LENGTH);
    return length.isEmpty() ? 0 : Integer.parseInt(length);
  }

  private static String field(String fields, String name) {
    int at = fields.indexOf(name);
    return at < 0 ? "" : fields.substring(at + name.length(), fields.indexOf('\r', at + 2)).strip();
  }

  /** Ids and values of this scenario are ASCII; other data is not read. */
  private String text(int from, int length) {
    return new String(buffer, from, length, StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    Socket open = socket;
    socket = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // The connection is closed either way.
      }
    }
  }
}
