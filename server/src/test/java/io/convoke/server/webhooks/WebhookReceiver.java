package io.convoke.server.webhooks;

import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** A receiver of webhooks with settable responses. */
final class WebhookReceiver implements AutoCloseable {
  private final HttpServer server;
  private final LinkedBlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
  private volatile Function<Heard, Integer> answer = message -> 204;

  /** A received message. */
  record Heard(String id, String timestamp, String signature, String body) {
    JsonNode json() {
      return Json.read(body);
    }

    String status() {
      return json().path("data").path("status").asString();
    }
  }

  WebhookReceiver() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/",
        exchange -> {
          Heard message =
              new Heard(
                  exchange.getRequestHeaders().getFirst("webhook-id"),
                  exchange.getRequestHeaders().getFirst("webhook-timestamp"),
                  exchange.getRequestHeaders().getFirst("webhook-signature"),
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          int status = answer.apply(message);
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
          heard.add(message);
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  void answers(Function<Heard, Integer> how) {
    answer = how;
  }

  Heard next() {
    try {
      Heard message = heard.poll(Duration.ofSeconds(20).toMillis(), TimeUnit.MILLISECONDS);
      if (message == null) {
        throw new AssertionError("nothing was heard");
      }
      return message;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  int waiting() {
    return heard.size();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
