package io.convoke.fakes.vexa;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A connection to the Redis in the image's configuration. */
final class VexaRedis implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;

  /** Connects, with the password of the URL if it has one. */
  VexaRedis(String redisUrl) throws IOException {
    URI url = URI.create(redisUrl);
    this.socket = new Socket(url.getHost(), url.getPort());
    this.in = new BufferedInputStream(socket.getInputStream());
    if (url.getUserInfo() != null) {
      send(List.of("AUTH", url.getUserInfo().replaceFirst("^[^:]*:", "")));
      String answer = line();
      if (!answer.equals("+OK")) {
        throw new IOException(answer);
      }
    }
  }

  /** Adds an entry to a stream. */
  void add(String stream, Map<String, String> fields) throws IOException {
    List<String> command = new ArrayList<>(List.of("XADD", stream, "*"));
    fields.forEach(
        (name, value) -> {
          command.add(name);
          command.add(value);
        });
    send(command);
    String head = line();
    if (!head.startsWith("$")) {
      throw new IOException(head);
    }
    String _ = line();
  }

  void send(List<String> command) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(("*" + command.size() + "\r\n").getBytes(StandardCharsets.UTF_8));
    for (String word : command) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
      out.writeBytes(bytes);
      out.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
    }
    socket.getOutputStream().write(out.toByteArray());
  }

  /** One array of the protocol; numbers as their digits. */
  List<String> reply() throws IOException {
    String head = line();
    if (!head.startsWith("*")) {
      throw new IOException("unexpected answer of Redis: " + head);
    }
    List<String> parts = new ArrayList<>();
    int count = Integer.parseInt(head.substring(1));
    for (int i = 0; i < count; i++) {
      String kind = line();
      if (kind.startsWith("$")) {
        byte[] bytes = in.readNBytes(Integer.parseInt(kind.substring(1)));
        parts.add(new String(bytes, StandardCharsets.UTF_8));
        String _ = line();
      } else {
        parts.add(kind.substring(1));
      }
    }
    return parts;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    int next = in.read();
    while (next != '\n') {
      if (next < 0) {
        throw new IOException("Redis hung up");
      }
      if (next != '\r') {
        line.append((char) next);
      }
      next = in.read();
    }
    return line.toString();
  }
}
