package io.convoke.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An HTTP server whose script writes the bytes of each answer, so that it may break off anywhere.
 * One request for each connection.
 */
final class ScriptedServer implements AutoCloseable {
  /** A request as it came. */
  record ReceivedRequest(String method, String target, Map<String, String> headers, String body) {
    String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
  }

  /** What is written for a request; the connection closes then. */
  @FunctionalInterface
  interface AnswerScript {
    void write(int number, ReceivedRequest request, OutputStream out) throws Exception;
  }

  private final ServerSocket socket;
  private final AnswerScript script;
  private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();

  ScriptedServer(AnswerScript script) throws IOException {
    this.script = script;
    this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    var _ = Thread.ofVirtual().start(this::accept);
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + socket.getLocalPort());
  }

  List<ReceivedRequest> received() {
    return received;
  }

  /** A whole answer with a JSON body. */
  static void json(OutputStream out, int status, String body, String... headers)
      throws IOException {
    String type = status < 300 ? "application/json" : "application/problem+json";
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    String head =
        "HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %d\r\n%sConnection: close\r\n\r\n"
            .formatted(status, type, body.getBytes(UTF_8).length, more);
    write(out, head + body);
  }

  /** The head of a stream of events, which ends with its connection. */
  static void stream(OutputStream out) throws IOException {
    write(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
  }

  /** One event. */
  static void event(OutputStream out, long seq) throws IOException {
    write(
        out,
        "id: %d\nevent: test\ndata: {\"seq\":%d,\"type\":\"test\",\"subject\":\"meeting:1\",\"at\":\"2026-03-02T09:00:00.000Z\",\"data\":{}}\n\n"
            .formatted(seq, seq));
  }

  static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(UTF_8));
    out.flush();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        var _ = Thread.ofVirtual().start(() -> serve(connection));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      InputStream in = new BufferedInputStream(connection.getInputStream());
      String[] first = line(in).split(" ", 3);
      Map<String, String> headers = new HashMap<>();
      for (String line = line(in); !line.isEmpty(); line = line(in)) {
        String[] parts = line.split(": ", 2);
        headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
      }
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      ReceivedRequest request =
          new ReceivedRequest(
              first[0], first[1], headers, new String(in.readNBytes(length), UTF_8));
      int number;
      synchronized (received) {
        received.add(request);
        number = received.size();
      }
      script.write(number, request, connection.getOutputStream());
    } catch (IOException e) {
      // The client went away.
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
