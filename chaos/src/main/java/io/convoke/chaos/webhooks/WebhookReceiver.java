package io.convoke.chaos.webhooks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.chaos.webhooks.WebhookHistory.Delivery;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The endpoints of all users. The first tries of each fourth event are answered 500, the first of
 * some others not at all; one of {@link #goneOnce} answers 410 to one message.
 */
final class WebhookReceiver implements AutoCloseable {
  private static final int FAILS_EACH = 4;
  private static final int FAILURES_EACH = 2;
  private static final int SILENT_EACH = 8;
  private static final int NO_ANSWER = 0;
  private static final int FAILED = 500;
  private static final int GONE = 410;

  private final HttpServer server;
  private final Map<Integer, String> secrets = new ConcurrentHashMap<>();
  private final Map<Integer, Boolean> gone = new ConcurrentHashMap<>();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();
  private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
  private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
  private volatile int failuresEach = FAILURES_EACH;

  WebhookReceiver() throws IOException {
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.createContext("/", this::take);
    server.start();
  }

  URI url(int user) {
    return URI.create("http://127.0.0.1:%d/%d".formatted(server.getAddress().getPort(), user));
  }

  /** By which the messages to a user are signed. */
  void secret(int user, String secret) {
    var _ = secrets.put(user, secret);
  }

  /** Has a user's endpoint answer 410 once. */
  void goneOnce(int user) {
    var _ = gone.put(user, true);
  }

  /** Fails only once more for each fourth event. */
  void failOnce() {
    failuresEach = 1;
  }

  /** All that arrived, in its order. */
  List<Delivery> deliveries() {
    return List.copyOf(deliveries);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] bytes = exchange.getRequestBody().readAllBytes();
      JsonNode body = JsonMapper.shared().readTree(bytes);
      int user = Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
      String id = header(exchange, "webhook-id");
      long seq = body.path("seq").asLong();
      int status = status(user, seq, id);
      String signed = id + "." + header(exchange, "webhook-timestamp") + ".";
      deliveries.add(
          new Delivery(
              user,
              seq,
              id,
              signature(secrets.getOrDefault(user, ""), signed, bytes)
                  .equals(header(exchange, "webhook-signature")),
              status,
              Instant.now()));
      if (status != NO_ANSWER) {
        exchange.sendResponseHeaders(status, -1);
      }
      // Else the connection is closed.
    }
  }

  private int status(int user, long seq, String id) {
    if (Boolean.TRUE.equals(gone.remove(user))) {
      return GONE;
    }
    if (seq % SILENT_EACH == 2 && unanswered.add(id)) {
      return NO_ANSWER;
    }
    boolean fails = seq % FAILS_EACH == 0 && failures.merge(id, 1, Integer::sum) <= failuresEach;
    return fails ? FAILED : 200;
  }

  private static String header(HttpExchange exchange, String name) {
    return String.valueOf(exchange.getRequestHeaders().getFirst(name));
  }

  /** By the Standard Webhooks specification, github.com/standard-webhooks/standard-webhooks. */
  private static String signature(String secret, String start, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(start.getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC-SHA256", e);
    }
  }
}
