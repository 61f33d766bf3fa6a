package io.convoke.simulator.http;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One request, as handlers see it. */
public final class SimRequest {

  private final ServerRequest request;
  private final String route;
  private byte @Nullable [] body;

  SimRequest(ServerRequest request, String route) {
    this.request = request;
    this.route = route;
  }

  /** Method and path template, for example {@code GET /v1/rooms/{name}}. */
  public String route() {
    return route;
  }

  /** Method, path and query as received. */
  public String target() {
    String query = request.query().rawValue();
    return request.prologue().method().text()
        + " "
        + request.path().absolute().path()
        + (query.isEmpty() ? "" : "?" + query);
  }

  /** A variable of the path template. */
  public String path(String name) {
    return request.path().pathParameters().get(name);
  }

  public Optional<String> query(String name) {
    return request.query().first(name).asOptional().filter(value -> !value.isEmpty());
  }

  public Optional<String> header(String name) {
    return request.headers().first(HeaderNames.create(name));
  }

  /** The body; empty if there is none. */
  public byte[] body() {
    byte[] read = body;
    if (read == null) {
      read = request.content().hasEntity() ? request.content().as(byte[].class) : new byte[0];
      body = read;
    }
    return read;
  }

  /** The body as JSON, an empty one as an empty object; absent if it is malformed or no object. */
  public Optional<JsonNode> json() {
    byte[] bytes = body();
    return SimJson.read(bytes.length == 0 ? new byte[] {'{', '}'} : bytes)
        .filter(JsonNode::isObject);
  }

  /** Whether the caller is on this machine. */
  public boolean local() {
    return request.remotePeer().address() instanceof InetSocketAddress peer
        && peer.getAddress().isLoopbackAddress();
  }
}
