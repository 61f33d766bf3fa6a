package io.convoke.fakes.transcribe;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code POST /v1/audio/transcriptions} as OpenAI publishes it: a multipart form with {@code file},
 * {@code model}, {@code response_format} and the other fields of the API. It refuses unknown
 * fields, files that are not WAV and missing keys as OpenAI does.
 */
public final class FakeOpenAi implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final List<String> FIELDS =
      List.of(
          "file",
          "model",
          "response_format",
          "timestamp_granularities[]",
          "language",
          "prompt",
          "temperature");

  private final HttpServer server;
  private final String key;
  private final List<TranscriptLine> said;
  private final Deque<Integer> failures = new ArrayDeque<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final List<byte[]> files = new CopyOnWriteArrayList<>();

  /** Starts a server that requires this key and returns these lines for every file. */
  public FakeOpenAi(String key, List<TranscriptLine> said) {
    this.key = key;
    this.said = List.copyOf(said);
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

  /** Answers the next request with this status without reading it. */
  public synchronized void fail(int status) {
    failures.add(status);
  }

  /** Violations of the API by clients. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** The files of accepted requests. */
  public List<byte[]> files() {
    return List.copyOf(files);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private synchronized Optional<Integer> failure() {
    return Optional.ofNullable(failures.poll());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      Optional<Integer> failure = failure();
      if (failure.isPresent()) {
        send(exchange, failure.get(), error("out of order"));
        return;
      }
      String authorization =
          Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")).orElse("");
      if (!authorization.equals("Bearer " + key)) {
        send(exchange, 401, error("Incorrect API key provided"));
        return;
      }
      String fault = fault(exchange, body);
      if (!fault.isEmpty()) {
        complaints.add(fault);
        send(exchange, 400, error(fault));
        return;
      }
      send(exchange, 200, answer());
    }
  }

  private String fault(HttpExchange exchange, byte[] body) {
    if (!exchange.getRequestMethod().equals("POST")
        || !exchange.getRequestURI().getPath().equals("/v1/audio/transcriptions")) {
      return "there is no " + exchange.getRequestMethod() + " " + exchange.getRequestURI();
    }
    String type =
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Content-Type")).orElse("");
    if (!type.startsWith("multipart/form-data; boundary=")) {
      return "the body must be multipart/form-data";
    }
    Map<String, byte[]> fields = form(body, type.substring(type.indexOf('=') + 1));
    for (String name : fields.keySet()) {
      if (!FIELDS.contains(name)) {
        return "unknown field " + name;
      }
    }
    if (text(fields, "model").isEmpty()) {
      return "model is needed";
    }
    if (!text(fields, "response_format").equals("verbose_json")) {
      return "only verbose_json has times";
    }
    byte[] file = Optional.ofNullable(fields.get("file")).orElse(new byte[0]);
    if (!new String(file, 0, Math.min(4, file.length), StandardCharsets.ISO_8859_1)
        .equals("RIFF")) {
      return "the audio file could not be decoded or its format is not supported";
    }
    files.add(file);
    return "";
  }

  /** The parts of a form by name; Latin-1 maps bytes to characters one to one. */
  private static Map<String, byte[]> form(byte[] body, String boundary) {
    Map<String, byte[]> fields = new LinkedHashMap<>();
    String text = new String(body, StandardCharsets.ISO_8859_1);
    String mark = "--" + boundary;
    if (!text.endsWith("\r\n" + mark + "--\r\n")) {
      return fields;
    }
    int from = text.indexOf(mark) + mark.length() + 2;
    for (int to = text.indexOf("\r\n" + mark, from);
        to >= 0;
        to = text.indexOf("\r\n" + mark, from)) {
      String part = text.substring(from, to);
      int blank = part.indexOf("\r\n\r\n");
      int name = part.indexOf("name=\"") + 6;
      fields.put(
          part.substring(name, part.indexOf('"', name)),
          part.substring(blank + 4).getBytes(StandardCharsets.ISO_8859_1));
      from = to + 2 + mark.length() + 2;
    }
    return fields;
  }

  private static String text(Map<String, byte[]> fields, String name) {
    return new String(
        Optional.ofNullable(fields.get(name)).orElse(new byte[0]), StandardCharsets.UTF_8);
  }

  private Map<String, Object> answer() {
    List<Map<String, Object>> segments = new ArrayList<>();
    for (TranscriptLine line : said) {
      segments.add(
          Map.of(
              "id",
              segments.size(),
              "seek",
              0,
              "start",
              line.start(),
              "end",
              line.end(),
              "text",
              " " + line.text(),
              "temperature",
              0.0,
              "avg_logprob",
              -0.3,
              "no_speech_prob",
              0.01));
    }
    return Map.of(
        "task",
        "transcribe",
        "language",
        "english",
        "duration",
        said.isEmpty() ? 0 : said.getLast().end(),
        "text",
        String.join(" ", said.stream().map(TranscriptLine::text).toList()),
        "segments",
        segments);
  }

  private static Map<String, Object> error(String message) {
    return Map.of("error", Map.of("message", message, "type", "invalid_request_error"));
  }

  private static void send(HttpExchange exchange, int status, Object json) throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(json);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
