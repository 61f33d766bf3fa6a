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
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * All endpoints. The first tries of each fourth event are answered with an error or a redirect, the
 * first of some others not at all; one of {@link #goneOnce} answers 410 to one message, one of
 * {@link #away} nothing for a while, one of {@link #hold} nothing to one message, and one of {@link
 * #slow} late.
 */
final class WebhookReceiver implements AutoCloseable {
  private static final int FAILS_EACH = 4;
  private static final int FAILURES_EACH = 2;
  private static final int SILENT_EACH = 8;
  private static final int NO_ANSWER = 0;
  private static final int GONE = 410;
  private static final List<Integer> FAILED = List.of(500, 302, 429, 404);
  private static final List<Integer> TAKEN = List.of(200, 204, 202);

  /** Where a redirect leads; messages there are never right. */
  private static final int ELSEWHERE = 99;

  /** Of a message on its way, on a busy machine. */
  private static final Duration FRESH = Duration.ofSeconds(8);

  private final HttpServer server;
  private final Map<Integer, String> secrets = new ConcurrentHashMap<>();
  private final Set<Integer> gone = ConcurrentHashMap.newKeySet();
  private final Set<Integer> held = ConcurrentHashMap.newKeySet();
  private final Set<Integer> slow = ConcurrentHashMap.newKeySet();
  private final Set<Integer> reliable = ConcurrentHashMap.newKeySet();
  private final Map<Integer, AtomicInteger> away = new ConcurrentHashMap<>();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();
  private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
  private volatile int failuresEach = FAILURES_EACH;

  WebhookReceiver() throws IOException {
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::take);
    server.start();
  }

  URI url(int endpoint) {
    return URI.create(
        "http://127.0.0.1:%d/%d?%s"
            .formatted(server.getAddress().getPort(), endpoint, query(endpoint)));
  }

  /** A part of the URL that a sender has to keep. */
  private static String query(int endpoint) {
    return "key=" + endpoint;
  }

  /** By which the messages to an endpoint are signed. */
  void secret(int endpoint, String secret) {
    var _ = secrets.put(endpoint, secret);
  }

  /** Has an endpoint answer 410 once. */
  void goneOnce(int endpoint) {
    boolean _ = gone.add(endpoint);
  }

  /** Has an endpoint not answer this number of requests. */
  void away(int endpoint, int requests) {
    var _ = away.put(endpoint, new AtomicInteger(requests));
  }

  /** Has an endpoint keep the next request waiting, and fail no other. */
  void hold(int endpoint) {
    spare(endpoint);
    boolean _ = held.add(endpoint);
  }

  /** Has an endpoint answer the next request late. */
  void slow(int endpoint) {
    boolean _ = slow.add(endpoint);
  }

  /** Has an endpoint fail no more. */
  void spare(int endpoint) {
    boolean _ = reliable.add(endpoint);
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
      int endpoint = Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
      String id = header(exchange, "webhook-id");
      long seq = body.path("seq").asLong();
      int status = status(endpoint, seq, id);
      deliveries.add(
          new Delivery(
              endpoint, seq, id, signed(exchange, endpoint, bytes), status, Instant.now(), body));
      if (status == WebhookHistory.HELD || status == WebhookHistory.SLOW) {
        LockSupport.parkNanos(WebhookHistory.KEPT.toNanos());
      }
      if (status > NO_ANSWER) {
        exchange.getResponseHeaders().set("Location", url(ELSEWHERE).toString());
        exchange.sendResponseHeaders(status, -1);
      }
      // Else the connection is closed.
    }
  }

  private int status(int endpoint, long seq, String id) {
    if (gone.remove(endpoint)) {
      return GONE;
    }
    if (held.remove(endpoint)) {
      return WebhookHistory.HELD;
    }
    if (slow.remove(endpoint)) {
      return WebhookHistory.SLOW;
    }
    int before = failures.getOrDefault(id, 0);
    boolean silent =
        (seq % SILENT_EACH == 2 && before == 0)
            || Optional.ofNullable(away.get(endpoint)).filter(it -> it.get() > 0).isPresent();
    boolean fails = silent || seq % FAILS_EACH == 0;
    // After a third failure the pause is longer than a run.
    if (seq == 0 || reliable.contains(endpoint) || !fails || before >= failuresEach) {
      return TAKEN.get((int) (seq % TAKEN.size()));
    }
    var _ = failures.put(id, before + 1);
    if (silent) {
      Optional.ofNullable(away.get(endpoint)).ifPresent(AtomicInteger::decrementAndGet);
      return NO_ANSWER;
    }
    return FAILED.get((int) (seq / FAILS_EACH % FAILED.size()));
  }

  private static String header(HttpExchange exchange, String name) {
    return String.valueOf(exchange.getRequestHeaders().getFirst(name));
  }

  /** Whether a message has its endpoint's query, is signed by its secret, and was just now. */
  private boolean signed(HttpExchange exchange, int endpoint, byte[] body) {
    String sent = header(exchange, "webhook-timestamp");
    String signed = header(exchange, "webhook-id") + "." + sent + ".";
    Duration age =
        Duration.between(Instant.ofEpochSecond(Long.parseLong(sent)), Instant.now()).abs();
    return query(endpoint).equals(exchange.getRequestURI().getRawQuery())
        && age.compareTo(FRESH) < 0
        && header(exchange, "Content-Type").startsWith("application/json")
        && signature(secrets.getOrDefault(endpoint, ""), signed, body)
            .equals(header(exchange, "webhook-signature"));
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
