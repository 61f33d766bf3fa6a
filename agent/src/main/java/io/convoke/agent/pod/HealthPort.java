package io.convoke.agent.pod;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The health port of a pod: {@code /livez} answers while the process runs; {@code /readyz} answers
 * 200 while the pod claims tasks; {@code /metrics} serves Prometheus. It accepts no commands.
 */
final class HealthPort implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String host;

  /**
   * Opens the port.
   *
   * @throws UsageException if it cannot be opened, as where another process has it
   */
  HealthPort(String host, int port, BooleanSupplier ready, Supplier<String> metrics)
      throws IOException {
    this.host = host;
    this.server = open(host, port);
    server.setExecutor(threads);
    var _ = server.createContext("/livez", call -> answer(call, 200, "ok\n"));
    var _ =
        server.createContext(
            "/readyz",
            call -> {
              boolean yes = ready.getAsBoolean();
              answer(call, yes ? 200 : 503, yes ? "ready\n" : "not ready\n");
            });
    var _ = server.createContext("/metrics", call -> answer(call, 200, metrics.get()));
    var _ = server.createContext("/", call -> answer(call, 404, "no such page\n"));
    server.start();
  }

  private static HttpServer open(String host, int port) throws IOException {
    try {
      return HttpServer.create(new InetSocketAddress(host, port), 0);
    } catch (SocketException e) {
      throw new UsageException("--port " + port + " of " + host + ": " + e.getMessage());
    }
  }

  String url() {
    return "http://" + host + ":" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }

  private static void answer(HttpExchange call, int status, String text) throws IOException {
    try (call) {
      byte[] body = text.getBytes(StandardCharsets.UTF_8);
      call.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
      call.sendResponseHeaders(status, body.length);
      call.getResponseBody().write(body);
    }
  }
}
