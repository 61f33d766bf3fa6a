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
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code POST /v1/audio/transcriptions} as OpenAI publishes it: a multipart form with {@code file},
 * {@code model}, {@code response_format} and the other fields of the API. It refuses what OpenAI
 * refuses: unknown fields, more than 25 MB, files whose name or content is of no supported format,
 * WAV of less than 0.1 seconds, response formats and fields that the model does not have, and
 * missing keys.
 */
public final class FakeOpenAi implements AutoCloseable {
  /** Bytes of a request. */
  public static final int CONTENT_MAX = 26_214_400;

  private static final JsonMapper JSON = new JsonMapper();
  private static final List<String> FIELDS =
      List.of(
          "file",
          "model",
          "response_format",
          "timestamp_granularities[]",
          "include[]",
          "chunking_strategy",
          "language",
          "prompt",
          "temperature");

  /** The first bytes of the formats that are known here, by the extension of the file's name. */
  private static final Map<String, String> FORMATS =
      Map.of("wav", "RIFF", "ogg", "OggS", "webm", "\u001aE\u00df\u00a3", "flac", "fLaC");

  private static final Set<String> OTHER_FORMATS = Set.of("mp3", "mp4", "mpeg", "mpga", "m4a");
  private static final Set<String> MODELS_WITH_LOGPROBS =
      Set.of("gpt-4o-transcribe", "gpt-4o-mini-transcribe", "gpt-4o-mini-transcribe-2025-12-15");
  private static final Pattern FILE_NAME = Pattern.compile("filename=\"[^\"]*\\.([a-z0-9]+)\"");

  /** Seconds of audio from which on the diarizing model needs a chunking strategy. */
  private static final double UNCHUNKED_MAX = 30;

  /** Seconds; no model takes less. */
  private static final double SHORTEST = 0.1;

  private static final int WAV_HEADER = 44;
  private static final int WAV_BYTES_PER_SECOND = 32_000;

  private final HttpServer server;
  private final String key;
  private final Function<byte[], List<TranscriptLine>> said;
  private final Deque<Integer> failures = new ArrayDeque<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final List<byte[]> files = new CopyOnWriteArrayList<>();

  /** Starts a server that requires this key and returns these lines for every file. */
  public FakeOpenAi(String key, List<TranscriptLine> said) {
    this(key, _ -> said);
  }

  /** Starts a server that returns the lines that a function finds in a file. */
  public FakeOpenAi(String key, Function<byte[], List<TranscriptLine>> said) {
    this.key = key;
    this.said = said;
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
      if (body.length > CONTENT_MAX) {
        String tooLarge =
            "Maximum content size limit (%d) exceeded (%d bytes read)"
                .formatted(CONTENT_MAX, body.length);
        complaints.add(tooLarge);
        send(exchange, 413, error(tooLarge));
        return;
      }
      Map<String, List<FormPart>> form = form(exchange, body);
      String fault = fault(exchange, form);
      if (!fault.isEmpty()) {
        complaints.add(fault);
        send(exchange, 400, error(fault));
        return;
      }
      byte[] file = first(form, "file").content();
      files.add(file);
      send(exchange, 200, answer(text(form, "response_format"), form, said.apply(file)));
    }
  }

  private String fault(HttpExchange exchange, Map<String, List<FormPart>> form) {
    if (!exchange.getRequestMethod().equals("POST")
        || !exchange.getRequestURI().getPath().equals("/v1/audio/transcriptions")) {
      return "there is no " + exchange.getRequestMethod() + " " + exchange.getRequestURI();
    }
    if (form.isEmpty()) {
      return "the body must be multipart/form-data";
    }
    for (String name : form.keySet()) {
      if (!FIELDS.contains(name)) {
        return "unknown field " + name;
      }
    }
    String model = text(form, "model");
    if (model.isEmpty()) {
      return "model is needed";
    }
    String language = text(form, "language");
    if (!language.isEmpty() && !language.matches("[a-z]{2}")) {
      return "language must be a code of ISO-639-1";
    }
    String fileFault = fileFault(first(form, "file"));
    if (fileFault.isEmpty()
        && first(form, "file").head().contains(".wav\"")
        && seconds(form) < SHORTEST) {
      return "Audio file is too short. Minimum audio length is 0.1 seconds.";
    }
    return fileFault.isEmpty() ? formatFault(model, form) : fileFault;
  }

  private static double seconds(Map<String, List<FormPart>> form) {
    return (double) (first(form, "file").content().length - WAV_HEADER) / WAV_BYTES_PER_SECOND;
  }

  /** The name must have the extension of a supported format, and the content be of that format. */
  private static String fileFault(FormPart file) {
    Matcher name = FILE_NAME.matcher(file.head());
    String extension = name.find() ? name.group(1) : "";
    Optional<String> beginning = Optional.ofNullable(FORMATS.get(extension));
    if (beginning.isEmpty()) {
      return OTHER_FORMATS.contains(extension) ? "" : "Unrecognized file format";
    }
    String content = new String(file.content(), StandardCharsets.ISO_8859_1);
    return content.startsWith(beginning.get())
        ? ""
        : "the audio file could not be decoded or its format is not supported";
  }

  /** The formats and fields that a model has. */
  private static String formatFault(String model, Map<String, List<FormPart>> form) {
    boolean whisper = model.equals("whisper-1");
    boolean diarizes = model.equals("gpt-4o-transcribe-diarize");
    Set<String> formats =
        whisper
            ? Set.of("json", "text", "srt", "verbose_json", "vtt")
            : diarizes ? Set.of("json", "text", "diarized_json") : Set.of("json", "text");
    String format = text(form, "response_format");
    if (!formats.contains(format)) {
      return "response_format '" + format + "' is not compatible with model '" + model + "'";
    }
    if (form.containsKey("timestamp_granularities[]") && !format.equals("verbose_json")) {
      return "timestamp_granularities needs verbose_json";
    }
    if (form.containsKey("include[]")
        && !(format.equals("json") && MODELS_WITH_LOGPROBS.contains(model))) {
      return "logprobs needs json and a model that has them";
    }
    if (diarizes && form.containsKey("prompt")) {
      return "prompts are not supported by " + model;
    }
    return diarizes && seconds(form) > UNCHUNKED_MAX && !form.containsKey("chunking_strategy")
        ? "chunking_strategy is required for diarization models"
        : "";
  }

  /** A part of a form: its headers and its content. */
  @SuppressWarnings("ArrayRecordComponent")
  private record FormPart(String head, byte[] content) {}

  /** The parts of a form by name; Latin-1 maps bytes to characters one to one. */
  private static Map<String, List<FormPart>> form(HttpExchange exchange, byte[] body) {
    Map<String, List<FormPart>> fields = new LinkedHashMap<>();
    String type =
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Content-Type")).orElse("");
    if (!type.startsWith("multipart/form-data; boundary=")) {
      return fields;
    }
    String text = new String(body, StandardCharsets.ISO_8859_1);
    String mark = "--" + type.substring(type.indexOf('=') + 1);
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
      fields
          .computeIfAbsent(part.substring(name, part.indexOf('"', name)), _ -> new ArrayList<>())
          .add(
              new FormPart(
                  part.substring(0, blank),
                  part.substring(blank + 4).getBytes(StandardCharsets.ISO_8859_1)));
      from = to + 2 + mark.length() + 2;
    }
    return fields;
  }

  private static FormPart first(Map<String, List<FormPart>> form, String name) {
    return Optional.ofNullable(form.get(name))
        .map(List::getFirst)
        .orElse(new FormPart("", new byte[0]));
  }

  private static String text(Map<String, List<FormPart>> form, String name) {
    return new String(first(form, name).content(), StandardCharsets.UTF_8);
  }

  private static Map<String, Object> answer(
      String format, Map<String, List<FormPart>> form, List<TranscriptLine> lines) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("text", String.join(" ", lines.stream().map(TranscriptLine::text).toList()));
    switch (format) {
      case "verbose_json" -> {
        answer.put("task", "transcribe");
        answer.put("language", "english");
        answer.put("duration", lines.isEmpty() ? 0 : lines.getLast().end());
        answer.put("segments", verbose(lines));
        boolean words =
            Optional.ofNullable(form.get("timestamp_granularities[]")).orElse(List.of()).stream()
                .anyMatch(
                    part -> new String(part.content(), StandardCharsets.UTF_8).equals("word"));
        if (words) {
          answer.put("words", lines.stream().flatMap(line -> words(line).stream()).toList());
        }
      }
      case "diarized_json" -> {
        answer.put("task", "transcribe");
        answer.put("duration", lines.isEmpty() ? 0 : lines.getLast().end());
        answer.put("segments", diarized(lines));
      }
      default -> {
        if (form.containsKey("include[]")) {
          answer.put("logprobs", List.of(Map.of("token", "a", "logprob", -0.1)));
        }
        answer.put("usage", Map.of("type", "tokens"));
      }
    }
    return answer;
  }

  private static List<Map<String, Object>> verbose(List<TranscriptLine> lines) {
    List<Map<String, Object>> segments = new ArrayList<>();
    for (TranscriptLine line : lines) {
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
    return segments;
  }

  /** Speakers have capital letters, in the order in which they speak in this file. */
  private static List<Map<String, Object>> diarized(List<TranscriptLine> lines) {
    List<String> speakers = lines.stream().map(TranscriptLine::speaker).distinct().toList();
    List<Map<String, Object>> segments = new ArrayList<>();
    for (TranscriptLine line : lines) {
      segments.add(
          Map.of(
              "type",
              "transcript.text.segment",
              "id",
              "seg_" + segments.size(),
              "start",
              line.start(),
              "end",
              line.end(),
              "text",
              " " + line.text(),
              "speaker",
              String.valueOf((char) ('A' + speakers.indexOf(line.speaker())))));
    }
    return segments;
  }

  /** The words of a line, each as long as the others. */
  private static List<Map<String, Object>> words(TranscriptLine line) {
    String[] words = line.text().replaceAll("[.,?!]", "").split(" ", -1);
    double length = (line.end() - line.start()) / words.length;
    List<Map<String, Object>> timed = new ArrayList<>();
    for (int i = 0; i < words.length; i++) {
      double start = line.start() + i * length;
      timed.add(Map.of("word", words[i], "start", start, "end", start + length));
    }
    return timed;
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
