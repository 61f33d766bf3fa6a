package io.convoke.chaos.bots;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.chaos.bots.HeldCalls.HeldCall;
import io.convoke.chaos.bots.rules.BotHistory.BotAnswer;
import io.convoke.chaos.bots.rules.BotHistory.BotCall;
import io.convoke.chaos.bots.rules.BotHistory.CommandExchange;
import io.convoke.chaos.bots.rules.BotHistory.SentLine;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.simulator.http.SimJson;
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
import java.util.Collections;
import java.util.LinkedHashMap;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Faulty proxy between bots and servers. Depending only on the seed and the call's identity (bot,
 * call, occurrence) it drops requests or responses, repeats requests at once or much later, and
 * delays them so that they arrive out of order. It records the servers' responses, and keeps copies
 * of requests for replay after the end.
 */
final class CallbackFaultProxy implements AutoCloseable {
  private static final int GOODBYES_REPEATED = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(6);
  private static final Pattern WAIT = Pattern.compile("[?&]wait=(\\d+)");

  private final CallbackFaultRates rates;
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

  /** Less than a bot may take to leave. */
  private static final Duration EXIT_DELAY = Duration.ofSeconds(5);

  /** Bots to which no command is passed on. */
  private final Set<String> deaf = ConcurrentHashMap.newKeySet();

  private final Set<String> slow = ConcurrentHashMap.newKeySet();

  /** Bots of whose lines drafts were sent. */
  private final Set<String> drafted = ConcurrentHashMap.newKeySet();

  /** By the token of its calls, since a call for commands names no bot. */
  private final Map<String, String> bots = new ConcurrentHashMap<>();

  private final List<BotCall> calls = new CopyOnWriteArrayList<>();
  private final List<TimedReply> replies = new CopyOnWriteArrayList<>();

  /** Lines of bots in the order in which each sent them first, with what servers answered. */
  private final Map<SentLine, Set<Integer>> lines =
      Collections.synchronizedMap(new LinkedHashMap<>());

  private final List<CommandExchange> commands = new CopyOnWriteArrayList<>();
  private final List<BotAnswer> answers = new CopyOnWriteArrayList<>();
  private final Map<String, Set<String>> texts = new ConcurrentHashMap<>();
  private final AtomicInteger turn = new AtomicInteger();
  private final HeldCalls held = new HeldCalls();
  private volatile boolean calm;

  /**
   * Fault probabilities in percent of calls.
   *
   * @param lost the request is dropped
   * @param unanswered the server handles the request; the response is dropped
   * @param repeated the request is sent again, at once or up to ten seconds later
   * @param delayed the request is delayed by up to two seconds
   */
  record CallbackFaultRates(long seed, int lost, int unanswered, int repeated, int delayed) {
    @Override
    public String toString() {
      return "%d %% lost, %d %% unanswered, %d %% repeated, %d %% delayed"
          .formatted(lost, unanswered, repeated, delayed);
    }
  }

  private CallbackFaultProxy(CallbackFaultRates rates, List<URI> servers) throws IOException {
    this.rates = rates;
    this.servers = servers;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(threads);
    server.createContext("/", this::take);
    server.start();
  }

  static CallbackFaultProxy start(CallbackFaultRates rates, List<URI> servers) {
    try {
      return new CallbackFaultProxy(rates, servers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Callback URL of the bots. */
  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Stops injecting faults. */
  void calm() {
    calm = true;
    cutOff.clear();
  }

  /** Blocks or unblocks all requests of this bot. */
  void cut(String connectionId, boolean off) {
    if (off) {
      boolean _ = cutOff.add(connectionId);
    } else {
      boolean _ = cutOff.remove(connectionId);
    }
  }

  /** Passes on no more commands to this bot, whatever its calls are answered. */
  void withholdCommands(String connectionId) {
    boolean _ = deaf.add(connectionId);
  }

  /** Passes on the exit of this bot late, which stays there until it is answered. */
  void delayExit(String connectionId) {
    boolean _ = slow.add(connectionId);
  }

  /** Every call a server answered, also if the response was dropped. */
  List<BotCall> calls() {
    return List.copyOf(calls);
  }

  /** Every call to a server with its answer. */
  List<TimedReply> replies() {
    return List.copyOf(replies);
  }

  /** Transcript lines of all bots. */
  List<SentLine> lines() {
    synchronized (lines) {
      return lines.entrySet().stream()
          .map(
              line ->
                  new SentLine(
                      line.getKey().connectionId(),
                      line.getKey().text(),
                      Set.copyOf(line.getValue())))
          .toList();
    }
  }

  /** Answers with commands, whether or not the bot received them, and acknowledgements. */
  List<CommandExchange> commands() {
    return List.copyOf(commands);
  }

  /** What servers answered to bots. */
  List<BotAnswer> answers() {
    return List.copyOf(answers);
  }

  /** Commands as servers told them, by id; one has more than one text if it changed. */
  Map<String, Set<String>> texts() {
    return Map.copyOf(texts);
  }

  /** Status of a heartbeat of one bot with the token of another, or without any. */
  int foreignHeartbeat(boolean withToken) {
    List<Map.Entry<String, String>> known = List.copyOf(bots.entrySet());
    Optional<String> token = withToken ? Optional.of(known.getLast().getKey()) : Optional.empty();
    return forward(heartbeat(known.getFirst().getValue(), token))
        .map(HttpResponse::statusCode)
        .orElse(0);
  }

  /** Statuses of a heartbeat of one bot at each server; 0 without an answer. */
  List<String> heartbeats() {
    Map.Entry<String, String> known = List.copyOf(bots.entrySet()).getFirst();
    SentCallback sentCallback = heartbeat(known.getValue(), Optional.of(known.getKey()));
    return IntStream.range(0, servers.size())
        .mapToObj(i -> forward(sentCallback, i))
        .map(reply -> reply.map(HttpResponse::statusCode).orElse(0).toString())
        .toList();
  }

  private static SentCallback heartbeat(String connectionId, Optional<String> token) {
    Map<String, String> headers = new ConcurrentHashMap<>();
    headers.put("Content-Type", "application/json");
    token.ifPresent(it -> headers.put("Authorization", it));
    return new SentCallback(
        "POST",
        "/callback/heartbeat",
        "{\"connection_id\":\"%s\"}".formatted(connectionId),
        headers);
  }

  /** Replays the kept copies one by one and returns the responses. */
  List<BotCall> replay() {
    List<BotCall> answered = new ArrayList<>();
    for (HeldCall heldCall : held.shuffled(rates.seed())) {
      int status = forward(heldCall.sent()).map(HttpResponse::statusCode).orElse(0);
      answered.add(new BotCall(Instant.now(), heldCall.bot(), heldCall.sent().name(), status));
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
      SentCallback sentCallback =
          new SentCallback(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              new String(body, StandardCharsets.UTF_8),
              headers(exchange));
      String bot = SimJson.read(body).flatMap(it -> SimJson.string(it, "connection_id")).orElse("");
      String token = sentCallback.headers().getOrDefault("Authorization", "");
      String known = bot.isEmpty() ? bots.getOrDefault(token, "") : bot;
      if (!bot.isEmpty() && !token.isEmpty()) {
        var _ = bots.put(token, bot);
      }
      Optional<HttpResponse<byte[]>> answer = carry(sentCallback, bot);
      if (answer.isPresent()) {
        byte[] text = deaf.contains(known) ? withoutCommands(answer.get()) : answer.get().body();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(
            answer.get().statusCode(), text.length == 0 ? -1 : text.length);
        exchange.getResponseBody().write(text);
      }
      // Closes the connection without a response.
    }
  }

  private static byte[] withoutCommands(HttpResponse<byte[]> answer) {
    Optional<JsonNode> body = SimJson.read(answer.body());
    if (body.isEmpty() || !(body.get() instanceof ObjectNode object) || !object.has("commands")) {
      return answer.body();
    }
    return object.set("commands", object.arrayNode()).toString().getBytes(StandardCharsets.UTF_8);
  }

  private Optional<HttpResponse<byte[]>> carry(SentCallback sentCallback, String bot) {
    String call = bot + " " + sentCallback.name();
    int time = counts.computeIfAbsent(call, key -> new AtomicInteger()).incrementAndGet();
    held.keep(bot, sentCallback, time);
    spoken(sentCallback, bot)
        .forEach(line -> lines.putIfAbsent(line, ConcurrentHashMap.newKeySet()));
    if (cutOff.contains(bot)) {
      return Optional.empty();
    }
    if (slow.contains(bot) && sentCallback.name().equals("exited")) {
      pause(EXIT_DELAY);
    }
    if (draw(call, time, "lost") < rates.lost()) {
      return Optional.empty();
    }
    if (draw(call, time, "delayed") < rates.delayed()) {
      pause(Duration.ofMillis(draw(call, time, "delay") * 20L));
    }
    // After the end no replayed call may change a state.
    int repeated = sentCallback.name().equals("exited") ? GOODBYES_REPEATED : rates.repeated();
    if (draw(call, time, "repeated") < repeated) {
      Duration later =
          Duration.ofMillis(draw(call, time, "again") < 50 ? 0 : draw(call, time, "late") * 100L);
      var _ =
          threads.submit(
              () -> {
                pause(later);
                return noted(sentCallback, bot);
              });
    }
    Optional<HttpResponse<byte[]>> answer = noted(sentCallback, bot);
    return draw(call, time, "unanswered") < rates.unanswered() ? Optional.empty() : answer;
  }

  private Optional<HttpResponse<byte[]>> noted(SentCallback sentCallback, String bot) {
    Instant sent = Instant.now();
    Optional<HttpResponse<byte[]>> answer = forward(sentCallback);
    if (!bot.isEmpty()) {
      answer.ifPresent(response -> note(sentCallback, bot, sent, response));
      commands.add(
          new CommandExchange(
              bot,
              sent,
              Instant.now(),
              answer.flatMap(CallbackFaultProxy::told),
              taken(sentCallback)));
    }
    answer.ifPresent(
        response -> {
          calls.add(new BotCall(Instant.now(), bot, sentCallback.name(), response.statusCode()));
          spoken(sentCallback, bot)
              .forEach(line -> Objects.requireNonNull(lines.get(line)).add(response.statusCode()));
          if (response.statusCode() == 200 && sentCallback.name().equals("transcript")) {
            SimJson.read(sentCallback.body().getBytes(StandardCharsets.UTF_8))
                .ifPresent(body -> acknowledged(sentCallback, bot, body));
          }
        });
    return answer;
  }

  /** The transcript lines of a call, without answers. */
  private static List<SentLine> spoken(SentCallback sentCallback, String bot) {
    if (!sentCallback.name().equals("transcript")) {
      return List.of();
    }
    List<SentLine> lines = new ArrayList<>();
    for (JsonNode line :
        SimJson.read(sentCallback.body().getBytes(StandardCharsets.UTF_8))
            .map(body -> body.path("segments"))
            .orElse(MissingNode.getInstance())) {
      lines.add(new SentLine(bot, line.path("text").asString(""), Set.of()));
    }
    return lines;
  }

  /** After the first lines of a bot their drafts arrive, which must change nothing. */
  private void acknowledged(SentCallback sentCallback, String bot, JsonNode body) {
    if (drafted.add(bot)) {
      JsonNode drafts = body.deepCopy();
      for (JsonNode line : drafts.path("segments")) {
        if (line instanceof ObjectNode object) {
          var _ = object.put("text", "a draft").put("completed", false);
        }
      }
      var _ =
          forward(
              new SentCallback(
                  sentCallback.method(),
                  sentCallback.path(),
                  drafts.toString(),
                  sentCallback.headers()));
    }
  }

  private void note(
      SentCallback sentCallback, String bot, Instant sent, HttpResponse<byte[]> response) {
    JsonNode body = SimJson.read(response.body()).orElseGet(MissingNode::getInstance);
    answers.add(
        new BotAnswer(
            bot,
            bot + " " + sentCallback.name() + " " + sentCallback.body(),
            sent,
            Instant.now(),
            response.statusCode(),
            body.path("meeting_id").asLong(0),
            response.statusCode() == 200
                ? body.path("status").asString("")
                : body.path("meeting_status").asString("")));
    body.path("commands")
        .forEach(
            command -> {
              boolean _ =
                  texts
                      .computeIfAbsent(
                          command.path("id").asString(""), _ -> ConcurrentHashMap.newKeySet())
                      .add(command.toString());
            });
  }

  private static Optional<List<String>> told(HttpResponse<byte[]> answer) {
    return answer.statusCode() == 200
        ? SimJson.read(answer.body())
            .map(body -> body.path("commands"))
            .filter(JsonNode::isArray)
            .map(array -> array.valueStream().map(it -> it.path("id").asString("")).toList())
        : Optional.empty();
  }

  private static Optional<String> taken(SentCallback sentCallback) {
    return SimJson.read(sentCallback.body().getBytes(StandardCharsets.UTF_8))
        .flatMap(body -> SimJson.string(body, "command_id"));
  }

  /** Sends to one server, or to the next if that one is unreachable. */
  private Optional<HttpResponse<byte[]>> forward(SentCallback sentCallback) {
    int first = turn.getAndIncrement();
    for (int i = 0; i < servers.size(); i++) {
      Optional<HttpResponse<byte[]>> answer =
          forward(sentCallback, Math.floorMod(first + i, servers.size()));
      if (answer.isPresent() || Thread.currentThread().isInterrupted()) {
        return answer;
      }
    }
    return Optional.empty();
  }

  private Optional<HttpResponse<byte[]>> forward(SentCallback sentCallback, int number) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(servers.get(number).resolve(sentCallback.path()))
            .timeout(PATIENCE.plus(waits(sentCallback)))
            .method(sentCallback.method(), BodyPublishers.ofString(sentCallback.body()));
    sentCallback.headers().forEach(request::header);
    Instant sent = Instant.now();
    int status = 0;
    try {
      HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
      status = response.statusCode();
      return Optional.of(response);
    } catch (IOException away) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      replies.add(
          new TimedReply(
              sentCallback.name(), FaultTimeline.server(number), status, sent, Instant.now()));
    }
  }

  /** How long the server may keep a call open while there is no command. */
  private static Duration waits(SentCallback sentCallback) {
    Matcher wait = WAIT.matcher(sentCallback.path());
    return wait.find() ? Duration.ofSeconds(Integer.parseInt(wait.group(1))) : Duration.ZERO;
  }

  /** Hash of the seed and these names, below 100; 100 once faults are off. */
  private int draw(String call, int time, String what) {
    return calm ? 100 : Math.floorMod(mixed(Objects.hash(rates.seed(), call, time, what)), 100);
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
