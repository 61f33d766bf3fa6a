package io.convoke.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;

/** A Janus as its clients see it, which acknowledges all requests and writes them down. */
final class JanusClientApi implements AutoCloseable {
  private final HttpServer server;
  private final List<JsonNode> requests = new CopyOnWriteArrayList<>();

  private JanusClientApi(HttpServer server) {
    this.server = server;
  }

  static JanusClientApi start() throws IOException {
    JanusClientApi api =
        new JanusClientApi(
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    var _ = api.server.createContext("/janus", api::answer);
    api.server.start();
    return api;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/janus";
  }

  /** How many requests with a body there were. */
  int count() {
    return requests.size();
  }

  /** The last request with a body. */
  JsonNode last() {
    return requests.getLast();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (body.length > 0) {
        boolean _ = requests.add(Json.read(new String(body, StandardCharsets.UTF_8)));
      }
      byte[] answer = "{\"janus\": \"ack\"}".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }
}
