package io.convoke.simulator.http;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A response to a caller. */
public final class SimResponse {

  private final int status;
  private final String contentType;
  private final Map<String, String> headers;
  private final byte[] body;
  private final int sent;

  private SimResponse(
      int status, String contentType, Map<String, String> headers, byte[] body, int sent) {
    this.sent = sent;
    this.status = status;
    this.contentType = contentType;
    this.headers = headers;
    this.body = body;
  }

  public static SimResponse ok(@Nullable Object json) {
    return json(200, json);
  }

  public static SimResponse json(int status, @Nullable Object json) {
    return bytes(status, "application/json", SimJson.write(json));
  }

  public static SimResponse bytes(int status, String contentType, byte[] body) {
    return new SimResponse(status, contentType, Map.of(), body, body.length);
  }

  public SimResponse with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new SimResponse(status, contentType, more, body, sent);
  }

  /** The same answer, of which only the first bytes are sent before the connection is cut. */
  public SimResponse cutAfter(int bytes) {
    return new SimResponse(status, contentType, headers, body, Math.min(bytes, body.length));
  }

  /** Bytes of the body. */
  public int length() {
    return body.length;
  }

  int sent() {
    return sent;
  }

  public int status() {
    return status;
  }

  String contentType() {
    return contentType;
  }

  Map<String, String> headers() {
    return headers;
  }

  byte[] body() {
    return body;
  }
}
