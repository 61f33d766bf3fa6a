package io.convoke.simulator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.observe.ObservationAwaiter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** A webhook receiver that keeps requests and sends the configured responses. */
final class WebhookReceiver implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** One request as it came, its body read as text so that every byte can be checked. */
  record Mail(String timestamp, String signature, String authorization, String raw, JsonNode body) {
    String type() {
      return body.path("type").asString("");
    }

    JsonNode payload() {
      return body.path("payload");
    }
  }

  private final List<Mail> mails = new ArrayList<>();
  private final ObservationAwaiter<Mail> observationAwaiter = new ObservationAwaiter<>(this::mails);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private volatile int status = 200;

  WebhookReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/hook", this::receive);
    server.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hook");
  }

  void answer(int code) {
    status = code;
  }

  synchronized List<Mail> mails() {
    return new ArrayList<>(mails);
  }

  List<Mail> mails(String type) {
    return mails().stream().filter(mail -> mail.type().equals(type)).toList();
  }

  Mail await(String type) throws TimeoutException {
    return await(mail -> mail.type().equals(type));
  }

  Mail await(Predicate<Mail> wanted) throws TimeoutException {
    return observationAwaiter.await(wanted, PATIENCE);
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] raw = exchange.getRequestBody().readAllBytes();
      Mail mail =
          new Mail(
              header(exchange, "X-Webhook-Timestamp"),
              header(exchange, "X-Webhook-Signature"),
              header(exchange, "Authorization"),
              new String(raw, StandardCharsets.UTF_8),
              SimJson.read(raw)
                  .orElseThrow(() -> new AssertionError(new String(raw, StandardCharsets.UTF_8))));
      synchronized (this) {
        mails.add(mail);
      }
      exchange.sendResponseHeaders(status, -1);
      observationAwaiter.emit(mail);
    }
  }

  private static String header(HttpExchange exchange, String name) {
    List<String> values = exchange.getRequestHeaders().getOrDefault(name, List.of());
    return values.isEmpty() ? "" : values.getFirst();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
