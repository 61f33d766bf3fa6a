package io.convoke.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import io.convoke.server.trace.Traceparent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of a server whose start takes long: {@code /livez} is 200, everything else 503. A server
 * waits for Postgres as long as it is away, and applies migrations as long as they take; without an
 * answer an orchestrator would kill it meanwhile. A usual start is over before this port opens.
 */
final class StartupPort implements AutoCloseable {
  /** Longer than a start that waits for nothing, and far below the bound of a startup probe. */
  static final Duration OPENS_AFTER = Duration.ofSeconds(20);

  private static final Logger log = LoggerFactory.getLogger(StartupPort.class);

  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** Opens after this time unless it is closed before. */
  StartupPort(String host, int port, Duration after) {
    this.thread = Thread.ofVirtual().name("startup-port").start(() -> run(host, port, after));
  }

  /** Returns once the port is free for the listener. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(String host, int port, Duration after) {
    try {
      if (!closing.await(after.toMillis(), TimeUnit.MILLISECONDS)) {
        serve(HttpServer.create(new InetSocketAddress(host, port), 0));
      }
    } catch (IOException e) {
      log.warn("/livez is not answered while this server starts: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(HttpServer server) throws InterruptedException {
    server.setExecutor(Thread::startVirtualThread);
    var _ = server.createContext("/", StartupPort::answer);
    server.start();
    try {
      closing.await();
    } finally {
      server.stop(0);
    }
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (exchange.getRequestURI().getPath().equals("/livez")) {
        send(exchange, 200, "application/json", Map.of("status", "ok"));
      } else {
        Problem problem =
            Problem.of(503, "not_ready", "This server waits for Postgres or applies migrations.");
        exchange.getResponseHeaders().set("Retry-After", "1");
        send(
            exchange,
            problem.status(),
            "application/problem+json",
            problem.body(Traceparent.fresh().getTraceId()));
      }
    }
  }

  private static void send(
      HttpExchange exchange, int status, String type, Map<String, Object> document)
      throws IOException {
    byte[] body = Json.bytes(document);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, head ? -1 : body.length);
    if (!head) {
      exchange.getResponseBody().write(body);
    }
  }
}
