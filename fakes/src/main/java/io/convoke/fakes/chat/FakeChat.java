package io.convoke.fakes.chat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code POST /v1/chat/completions} as OpenAI publishes it. It refuses what OpenAI refuses: unknown
 * arguments, roles that do not exist, {@code json_object} where no message mentions JSON, {@code
 * max_tokens} for models that think, more tokens than a model has, and missing keys. An answer that
 * is longer than was allowed is cut.
 */
public final class FakeChat implements AutoCloseable {
  /** Tokens that a model's context has; about four characters are one. */
  public static final int CONTEXT_MAX = 128_000;

  /** Tokens that an answer may have. */
  public static final int ANSWER_MAX = 16_384;

  private static final JsonMapper JSON = new JsonMapper();
  private static final int CHARS_PER_TOKEN = 4;
  private static final Set<String> ARGUMENTS =
      Set.of(
          "model",
          "messages",
          "max_tokens",
          "max_completion_tokens",
          "response_format",
          "temperature",
          "top_p",
          "n",
          "stop",
          "stream",
          "seed",
          "user");
  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool");

  private final HttpServer server;
  private final String key;
  private final Function<String, String> answers;
  private final Deque<ChatFault> faults = new ArrayDeque<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final List<JsonNode> requests = new CopyOnWriteArrayList<>();
  private long quietUntil = System.nanoTime();

  /** What happens to a request instead of an answer. */
  public sealed interface ChatFault {
    /** It is answered with this status, and with {@code Retry-After} where that is not zero. */
    record StatusFault(int status, Duration retryAfter) implements ChatFault {}

    /** It is answered 200 with this body. */
    record BodyFault(String body) implements ChatFault {}

    /** The model refuses. */
    record RefusalFault(String refusal) implements ChatFault {}
  }

  /**
   * Starts a server.
   *
   * @param key that it requires
   * @param answers the content of an answer, by the content of the last message
   */
  public FakeChat(String key, Function<String, String> answers) {
    this.key = key;
    this.answers = answers;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    server.start();
  }

  public URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** The next request, of those without one, has this fault. */
  public synchronized void fail(ChatFault fault) {
    faults.add(fault);
  }

  /** Violations of the API by clients. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** The bodies of requests that kept to the API. */
  public List<JsonNode> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private synchronized Optional<ChatFault> fault() {
    return Optional.ofNullable(faults.poll());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (!exchange.getRequestURI().getPath().equals("/v1/chat/completions")
          || !exchange.getRequestMethod().equals("POST")) {
        refuse(exchange, 404, "Unknown request URL: " + exchange.getRequestURI(), "");
        return;
      }
      String authorization =
          Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")).orElse("");
      if (!authorization.equals("Bearer " + key)) {
        send(exchange, 401, error("Incorrect API key provided", "invalid_api_key"));
        return;
      }
      Optional<JsonNode> request = parsed(exchange, body);
      if (request.isEmpty()) {
        refuse(exchange, 400, "We could not parse the JSON body of your request.", "");
        return;
      }
      String wrong = wrong(request.get());
      if (!wrong.isEmpty()) {
        refuse(
            exchange,
            400,
            wrong,
            wrong.contains("context length") ? "context_length_exceeded" : "");
        return;
      }
      noteHaste();
      requests.add(request.get());
      answer(exchange, request.get());
    }
  }

  private void answer(HttpExchange exchange, JsonNode request) throws IOException {
    switch (fault().orElse(null)) {
      case null -> send(exchange, 200, completion(request, answers.apply(lastMessage(request))));
      case ChatFault.StatusFault(int status, Duration retryAfter) -> {
        if (!retryAfter.isZero()) {
          exchange.getResponseHeaders().set("Retry-After", Long.toString(retryAfter.toSeconds()));
          quietFor(retryAfter);
        }
        send(
            exchange,
            status,
            error(
                status == 429 ? "Rate limit reached for this model" : "The server had an error",
                status == 429 ? "rate_limit_exceeded" : "server_error"));
      }
      case ChatFault.BodyFault(String text) ->
          write(exchange, 200, text.getBytes(StandardCharsets.UTF_8));
      case ChatFault.RefusalFault(String refusal) -> {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("role", "assistant");
        message.put("content", null);
        message.put("refusal", refusal);
        send(exchange, 200, whole(request, message, "stop"));
      }
    }
  }

  private synchronized void quietFor(Duration span) {
    quietUntil = System.nanoTime() + span.toNanos();
  }

  private synchronized void noteHaste() {
    if (quietUntil - System.nanoTime() > 0) {
      complaints.add("a request came before the time of Retry-After");
    }
  }

  private static Optional<JsonNode> parsed(HttpExchange exchange, byte[] body) {
    String type =
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Content-Type")).orElse("");
    try {
      JsonNode json = JSON.readTree(body);
      return type.startsWith("application/json") && json.isObject()
          ? Optional.of(json)
          : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /** Why OpenAI would refuse a request; empty if it would not. */
  private static String wrong(JsonNode request) {
    for (String name : request.propertyNames()) {
      if (!ARGUMENTS.contains(name)) {
        return "Unrecognized request argument supplied: " + name;
      }
    }
    String model = request.path("model").asString("");
    if (model.isEmpty()) {
      return "you must provide a model parameter";
    }
    String messages = wrongMessages(request.path("messages"));
    if (!messages.isEmpty()) {
      return messages;
    }
    JsonNode format = request.path("response_format");
    if (!format.isMissingNode() && !format.isObject()) {
      return "Invalid type for 'response_format': expected an object";
    }
    if (format.path("type").asString("").equals("json_object")
        && !request.path("messages").toString().toLowerCase(Locale.ROOT).contains("json")) {
      return "'messages' must contain the word 'json' in some form, to use 'response_format' of"
          + " type 'json_object'.";
    }
    return wrongTokens(request, model);
  }

  private static String wrongMessages(JsonNode messages) {
    if (!messages.isArray() || messages.isEmpty()) {
      return "Invalid 'messages': expected an array with at least one element";
    }
    for (JsonNode message : messages) {
      if (!ROLES.contains(message.path("role").asString(""))) {
        return "Invalid value: 'messages[].role'";
      }
      if (!message.path("content").isString()) {
        return "Invalid type for 'messages[].content': expected a string";
      }
    }
    return "";
  }

  private static String wrongTokens(JsonNode request, String model) {
    boolean thinks = model.matches("(o\\d|gpt-5).*");
    if (request.has("max_tokens") && thinks) {
      return "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
          + " 'max_completion_tokens' instead.";
    }
    if (request.has("max_tokens") && request.has("max_completion_tokens")) {
      return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    }
    if (request.has("temperature") && thinks) {
      return "Unsupported value: 'temperature' does not support this value with this model.";
    }
    int answer = answerMax(request);
    if (answer < 1) {
      return "Invalid 'max_tokens': integer below minimum value";
    }
    if (answer > ANSWER_MAX) {
      return "max_tokens is too large: %d. This model supports at most %d completion tokens"
          .formatted(answer, ANSWER_MAX);
    }
    int tokens =
        request
                .path("messages")
                .valueStream()
                .mapToInt(message -> message.path("content").asString().length())
                .sum()
            / CHARS_PER_TOKEN;
    return tokens + answer > CONTEXT_MAX
        ? "This model's maximum context length is %d tokens. However, you requested %d tokens."
            .formatted(CONTEXT_MAX, tokens + answer)
        : "";
  }

  private static int answerMax(JsonNode request) {
    JsonNode told =
        request.has("max_tokens")
            ? request.path("max_tokens")
            : request.path("max_completion_tokens");
    return told.isMissingNode() ? ANSWER_MAX : told.asInt(0);
  }

  private static String lastMessage(JsonNode request) {
    JsonNode messages = request.path("messages");
    return messages.path(messages.size() - 1).path("content").asString();
  }

  private static Map<String, Object> completion(JsonNode request, String content) {
    int most = answerMax(request) * CHARS_PER_TOKEN;
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("role", "assistant");
    message.put("content", content.length() > most ? content.substring(0, most) : content);
    message.put("refusal", null);
    return whole(request, message, content.length() > most ? "length" : "stop");
  }

  private static Map<String, Object> whole(
      JsonNode request, Map<String, Object> message, String end) {
    return Map.of(
        "id",
        "chatcmpl-1",
        "object",
        "chat.completion",
        "created",
        1_795_000_000,
        "model",
        request.path("model").asString(),
        "choices",
        List.of(Map.of("index", 0, "message", message, "finish_reason", end)),
        "usage",
        Map.of("prompt_tokens", 1, "completion_tokens", 1, "total_tokens", 2));
  }

  private void refuse(HttpExchange exchange, int status, String message, String code)
      throws IOException {
    complaints.add(message);
    send(exchange, status, error(message, code));
  }

  private static Map<String, Object> error(String message, String code) {
    return Map.of(
        "error", Map.of("message", message, "type", "invalid_request_error", "code", code));
  }

  private static void send(HttpExchange exchange, int status, Object json) throws IOException {
    write(exchange, status, JSON.writeValueAsBytes(json));
  }

  private static void write(HttpExchange exchange, int status, byte[] bytes) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
