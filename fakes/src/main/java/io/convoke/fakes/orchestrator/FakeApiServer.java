package io.convoke.fakes.orchestrator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * An HTTP server on one port that can be restarted. It records a complaint for each 4xx that a
 * correct client never causes.
 */
public final class FakeApiServer implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final FakeRequestHandler fakeRequestHandler;
  private final Function<FakeApiError, Object> error;
  private final RequestFaults requestFaults = new RequestFaults();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private int port;
  private @Nullable OpenExchange openExchange;

  /** Answers requests. */
  @FunctionalInterface
  public interface FakeRequestHandler {
    /**
     * Handles a request and may block. Throws {@link FakeApiError} for what the platform refuses.
     */
    FakeReply handle(FakeRequest fakeRequest) throws InterruptedException;
  }

  private record OpenExchange(HttpServer server, ExecutorService threads) {}

  /**
   * Opens.
   *
   * @param error the body of the platform's error answers
   */
  public FakeApiServer(
      FakeRequestHandler fakeRequestHandler, Function<FakeApiError, Object> error) {
    this.fakeRequestHandler = fakeRequestHandler;
    this.error = error;
    open();
  }

  /** Its URL. */
  public URI url() {
    return URI.create("http://127.0.0.1:" + port);
  }

  public RequestFaults faults() {
    return requestFaults;
  }

  /** Violations of the API by clients. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** Records a violation of the API. */
  public void complain(String what) {
    complaints.add(what);
  }

  /** Cuts every connection and accepts no more, until {@link #open}. */
  public synchronized void shut() {
    OpenExchange now = openExchange;
    if (now != null) {
      openExchange = null;
      now.threads().shutdownNow();
      now.server().stop(0);
    }
  }

  /** Accepts connections again, at the same address. */
  public synchronized void open() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
      ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
      server.setExecutor(threads);
      server.createContext("/", this::handle);
      server.start();
      port = server.getAddress().getPort();
      openExchange = new OpenExchange(server, threads);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    shut();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      FakeRequest fakeRequest = ask(exchange);
      Optional<RequestFaults.RequestFault> fault = requestFaults.of(fakeRequest);
      if (fault.isPresent()
          && fault.get() instanceof RequestFaults.RequestFault.RefuseRequest(int status)) {
        send(exchange, status, Map.of(), error.apply(new FakeApiError(status, "out of order")));
        return;
      }
      if (fault.isPresent()
          && fault.get() instanceof RequestFaults.RequestFault.DelayRequest(var by)) {
        boolean _ = new CountDownLatch(1).await(by.toMillis(), TimeUnit.MILLISECONDS);
      }
      try {
        FakeReply fakeReply = fakeRequestHandler.handle(fakeRequest);
        if (fault.isPresent()
            && fault.get() instanceof RequestFaults.RequestFault.AnswerLate(var by)) {
          boolean _ = new CountDownLatch(1).await(by.toMillis(), TimeUnit.MILLISECONDS);
        }
        if (fault.isEmpty() || !(fault.get() instanceof RequestFaults.RequestFault.LoseAnswer)) {
          send(exchange, fakeReply);
        }
      } catch (FakeApiError e) {
        if (e.blames()) {
          complain(fakeRequest.method() + " " + exchange.getRequestURI() + ": " + e.message());
        }
        send(exchange, e.status(), Map.of(), error.apply(e));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void send(HttpExchange exchange, FakeReply fakeReply)
      throws IOException, InterruptedException {
    switch (fakeReply) {
      case FakeReply.JsonReply jsonReply ->
          send(exchange, jsonReply.status(), jsonReply.headers(), jsonReply.body());
      case FakeReply.TextReply(String text) -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
      }
      case FakeReply.JsonLinesReply(FakeReply.LineFeed lineFeed) -> {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        OutputStream body = exchange.getResponseBody();
        body.flush();
        lineFeed.write(
            document -> {
              body.write(JSON.writeValueAsBytes(document));
              body.write('\n');
              body.flush();
            });
      }
    }
  }

  private static void send(
      HttpExchange exchange, int status, Map<String, String> headers, Object body)
      throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(body);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static FakeRequest ask(HttpExchange exchange) throws IOException {
    URI uri = exchange.getRequestURI();
    Map<String, String> query = new LinkedHashMap<>();
    Optional.ofNullable(uri.getRawQuery()).stream()
        .flatMap(text -> Arrays.stream(text.split("&", -1)))
        .map(pair -> pair.split("=", 2))
        .forEach(pair -> query.put(decoded(pair[0]), pair.length == 1 ? "" : decoded(pair[1])));
    Map<String, String> header = new LinkedHashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> header.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    return new FakeRequest(
        exchange.getRequestMethod(),
        Arrays.stream(uri.getRawPath().substring(1).split("/", -1))
            .map(FakeApiServer::decoded)
            .toList(),
        query,
        header,
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
