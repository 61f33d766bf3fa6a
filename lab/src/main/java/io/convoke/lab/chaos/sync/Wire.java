package io.convoke.lab.chaos.sync;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server, HTTP/1.1 by hand: on two cores the usual client costs more than the
 * server that it calls. A connection that breaks is made anew for the next call.
 */
final class Wire implements AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(1);

  /** Longer than a write is tried. */
  private static final Duration ANSWER_MAX = Duration.ofSeconds(12);

  private final URI server;
  private final String head;
  private @Nullable Socket socket;
  private @Nullable InputStream in;

  Wire(URI server, String token) {
    this.server = server;
    this.head =
        "Host: "
            + server.getAuthority()
            + "\r\nAuthorization: Bearer "
            + token
            + "\r\nContent-Type: application/json\r\n";
  }

  /** What came back. */
  record Answer(int status, String body) {}

  /** Reads a status, "as you know it" if it is still this version. */
  Optional<Answer> read(String meeting, long known) {
    String condition = known > 0 ? "If-None-Match: \"" + known + "\"\r\n" : "";
    return call("GET /sync-status?meeting_id=" + meeting + " HTTP/1.1\r\n" + condition, "");
  }

  /** Posts an update. */
  Optional<Answer> write(String body) {
    return call("POST /sync-status HTTP/1.1\r\n", body);
  }

  /** Empty if nobody answered: what was asked may have been done or not. */
  private Optional<Answer> call(String line, String body) {
    byte[] request =
        (line + head + "Content-Length: " + body.length() + "\r\n\r\n" + body)
            .getBytes(StandardCharsets.US_ASCII);
    try {
      Socket open = socket == null ? connect() : socket;
      InputStream answers = in;
      if (answers == null) {
        throw new IOException("not connected");
      }
      open.getOutputStream().write(request);
      return Optional.of(answer(answers));
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
      in = new BufferedInputStream(fresh.getInputStream(), 8192);
      socket = fresh;
      return fresh;
    } catch (IOException e) {
      fresh.close();
      throw e;
    }
  }

  private Answer answer(InputStream answers) throws IOException {
    String first = line(answers);
    if (!first.startsWith("HTTP/1.1 ") || first.length() < 12) {
      throw new IOException("not an answer");
    }
    int status = Integer.parseInt(first.substring(9, 12));
    int length = 0;
    boolean last = false;
    for (String field = line(answers); !field.isEmpty(); field = line(answers)) {
      String lower = field.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(field.substring(15).strip());
      }
      last |= lower.equals("connection: close");
    }
    String body = new String(answers.readNBytes(length), StandardCharsets.UTF_8);
    if (last) {
      close();
    }
    return new Answer(status, body);
  }

  private static String line(InputStream answers) throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int c = answers.read(); c != '\n'; c = answers.read()) {
      if (c < 0) {
        throw new IOException("the connection ended");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() {
    Socket open = socket;
    socket = null;
    in = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // It is gone either way.
      }
    }
  }
}
