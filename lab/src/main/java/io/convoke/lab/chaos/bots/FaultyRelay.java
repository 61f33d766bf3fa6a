package io.convoke.lab.chaos.bots;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.lab.chaos.bots.Ghosts.Ghost;
import io.convoke.lab.chaos.bots.verdict.BotCall;
import io.convoke.lab.sim.http.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands between bots and servers. By the seed and by the call's own name (which bot, which call,
 * for which time) it loses requests and answers, sends again what it sent before, at once or much
 * later, and delays, so that calls overtake each other. What a server answered is written down, and
 * copies are kept that come again after the end.
 */
final class FaultyRelay implements AutoCloseable {
  private static final int GOODBYES_REPEATED = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(6);

  private final Chances chances;
  private final List<URI> servers;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(1))
          .executor(threads)
          .build();
  private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
  private final Set<String> cutOff = ConcurrentHashMap.newKeySet();
  private final List<BotCall> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();
  private final Ghosts ghosts = new Ghosts();
  private volatile boolean calm;

  /**
   * How often, in percent of calls.
   *
   * @param lost neither server nor bot hears anything
   * @param unanswered the server hears it, the bot hears nothing
   * @param repeated sent once more, at once or up to ten seconds later
   * @param delayed up to two seconds
   */
  record Chances(long seed, int lost, int unanswered, int repeated, int delayed) {
    @Override
    public String toString() {
      return "%d %% lost, %d %% unanswered, %d %% repeated, %d %% delayed"
          .formatted(lost, unanswered, repeated, delayed);
    }
  }

  private FaultyRelay(Chances chances, List<URI> servers) throws IOException {
    this.chances = chances;
    this.servers = servers;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(threads);
    server.createContext("/", this::take);
    server.start();
  }

  static FaultyRelay start(Chances chances, List<URI> servers) {
    try {
      return new FaultyRelay(chances, servers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What bots are told to call. */
  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** From now on nothing is broken. */
  void calm() {
    calm = true;
    cutOff.clear();
  }

  /** Nothing of this bot comes through, or comes through again. */
  void cut(String connectionId, boolean off) {
    if (off) {
      boolean _ = cutOff.add(connectionId);
    } else {
      boolean _ = cutOff.remove(connectionId);
    }
  }

  /** Every call that a server answered, also those whose answer was then lost. */
  List<BotCall> calls() {
    return List.copyOf(calls);
  }

  /** Lets the copies come again, one after the other, and tells what they were answered. */
  List<BotCall> haunt() {
    List<BotCall> answered = new ArrayList<>();
    for (Ghost ghost : ghosts.shuffled(chances.seed())) {
      int status = forward(ghost.sent()).map(HttpResponse::statusCode).orElse(0);
      answered.add(new BotCall(Instant.now(), ghost.bot(), ghost.sent().name(), status));
    }
    return answered;
  }

  @Override
  public void close() {
    server.stop(0);
    client.shutdownNow();
    var _ = threads.shutdownNow();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      Sent sent =
          new Sent(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              new String(body, StandardCharsets.UTF_8),
              headers(exchange));
      String bot = Json.read(body).flatMap(it -> Json.string(it, "connection_id")).orElse("");
      Optional<HttpResponse<byte[]>> answer = carry(sent, bot);
      if (answer.isPresent()) {
        byte[] text = answer.get().body();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(
            answer.get().statusCode(), text.length == 0 ? -1 : text.length);
        exchange.getResponseBody().write(text);
      }
      // Without an answer the connection is closed under the bot.
    }
  }

  private Optional<HttpResponse<byte[]>> carry(Sent sent, String bot) {
    String call = bot + " " + sent.name();
    int time = counts.computeIfAbsent(call, key -> new AtomicInteger()).incrementAndGet();
    ghosts.keep(bot, sent, time);
    if (cutOff.contains(bot)) {
      return Optional.empty();
    }
    if (draw(call, time, "lost") < chances.lost()) {
      return Optional.empty();
    }
    if (draw(call, time, "delayed") < chances.delayed()) {
      pause(Duration.ofMillis(draw(call, time, "delay") * 20L));
    }
    // What comes after the end is where a state must not move any more.
    int repeated = sent.name().equals("exited") ? GOODBYES_REPEATED : chances.repeated();
    if (draw(call, time, "repeated") < repeated) {
      Duration later =
          Duration.ofMillis(draw(call, time, "again") < 50 ? 0 : draw(call, time, "late") * 100L);
      var _ =
          threads.submit(
              () -> {
                pause(later);
                return noted(sent, bot);
              });
    }
    Optional<HttpResponse<byte[]>> answer = noted(sent, bot);
    return draw(call, time, "unanswered") < chances.unanswered() ? Optional.empty() : answer;
  }

  private Optional<HttpResponse<byte[]>> noted(Sent sent, String bot) {
    Optional<HttpResponse<byte[]>> answer = forward(sent);
    answer.ifPresent(
        heard -> calls.add(new BotCall(Instant.now(), bot, sent.name(), heard.statusCode())));
    return answer;
  }

  /** To one server, or to another if that one is away. */
  private Optional<HttpResponse<byte[]>> forward(Sent sent) {
    int first = turn.getAndIncrement();
    for (int i = 0; i < servers.size(); i++) {
      URI target = servers.get(Math.floorMod(first + i, servers.size()));
      HttpRequest.Builder request =
          HttpRequest.newBuilder(target.resolve(sent.path()))
              .timeout(PATIENCE)
              .method(sent.method(), BodyPublishers.ofString(sent.body()));
      sent.headers().forEach(request::header);
      try {
        return Optional.of(client.send(request.build(), BodyHandlers.ofByteArray()));
      } catch (IOException away) {
        // The next one.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** A number below 100 that depends on nothing but the seed and these names; 100 in calm. */
  private int draw(String call, int time, String what) {
    return calm ? 100 : Math.floorMod(mixed(Objects.hash(chances.seed(), call, time, what)), 100);
  }

  private static int mixed(int hash) {
    int mixed = hash * 0x9E3779B9;
    return mixed ^ (mixed >>> 15);
  }

  private static Map<String, String> headers(HttpExchange exchange) {
    Map<String, String> kept = new ConcurrentHashMap<>();
    for (String name : List.of("Authorization", "Content-Type")) {
      Optional.ofNullable(exchange.getRequestHeaders().getFirst(name))
          .ifPresent(value -> kept.put(name, value));
    }
    return kept;
  }

  private static void pause(Duration span) {
    LockSupport.parkNanos(span.toNanos());
  }
}
