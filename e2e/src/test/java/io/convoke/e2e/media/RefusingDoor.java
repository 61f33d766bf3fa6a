package io.convoke.e2e.media;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy before a server that refuses the first requests to hear a speaker. */
final class RefusingDoor implements AutoCloseable {
  private static final List<String> HEADERS = List.of("Content-Type", "X-Join-Token");

  private final CompletableFuture<URI> server = new CompletableFuture<>();
  private final AtomicInteger left;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer door;

  /** Refuses so many requests. */
  RefusingDoor(int refusals) throws IOException {
    this.left = new AtomicInteger(refusals);
    door = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    door.setExecutor(threads);
    door.createContext("/", this::pass);
    door.start();
  }

  /** Lets requests through to this server. */
  void leadTo(URI url) {
    boolean _ = server.complete(url);
  }

  String authority() {
    return "127.0.0.1:" + door.getAddress().getPort();
  }

  /** How many requests it will still refuse. */
  int left() {
    return left.get();
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      boolean hears = new String(body, StandardCharsets.UTF_8).contains("\"subscriber\"");
      if (hears && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(server.join().resolve(exchange.getRequestURI()))
              .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
      for (String name : HEADERS) {
        exchange.getRequestHeaders().getOrDefault(name, List.of()).stream()
            .forEach(value -> request.header(name, value));
      }
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      exchange.sendResponseHeaders(
          answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(answer.body());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    door.stop(0);
    threads.shutdownNow();
    client.shutdownNow();
  }
}
