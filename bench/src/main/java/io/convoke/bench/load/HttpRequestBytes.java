package io.convoke.bench.load;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Whole HTTP requests as bytes, built before the clock runs. */
public final class HttpRequestBytes {
  private final byte[][] all;
  private int next;

  public HttpRequestBytes(byte[][] all) {
    this.all = all.clone();
  }

  /** One request without a body; {@code headers} are whole lines. */
  public static byte[] get(URI server, String path, String... headers) {
    return request("GET", server, path, List.of(headers), new byte[0]);
  }

  /** One request with a JSON body; {@code headers} are whole lines. */
  public static byte[] post(URI server, String path, byte[] body, String... headers) {
    return request("POST", server, path, List.of(headers), body);
  }

  private static byte[] request(
      String method, URI server, String path, List<String> headers, byte[] body) {
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    head.append("Host: ").append(server.getAuthority()).append("\r\n");
    headers.forEach(header -> head.append(header).append("\r\n"));
    if (body.length > 0) {
      head.append("Content-Type: application/json\r\n");
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
    whole.writeBytes(body);
    return whole.toByteArray();
  }

  boolean exhausted() {
    return next == all.length;
  }

  byte[] next() {
    return all[next++];
  }

  public int size() {
    return all.length;
  }
}
