package io.convoke.server.transcribe;

import io.convoke.engine.json.Json;
import io.convoke.server.transcribe.TranscriptSegment.TimedToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Lenient parser of segments: numbers may be strings, texts may begin with spaces. */
final class SegmentParser {
  private static final int TEXT_MAX = 10_000;
  private static final int NAME_MAX = 200;

  /** Seconds, as for bots; far beyond, a segment has no time of day. */
  private static final double TIME_MAX = 10_000_000;

  private SegmentParser() {}

  /**
   * One segment; empty when it has no words or no times. Times that cannot be become the nearest
   * that can.
   */
  static Optional<TranscriptSegment> read(JsonNode node, Optional<String> language) {
    String text = clean(node.path("text").asString(""), TEXT_MAX);
    double told = seconds(node.path("start"));
    double end = seconds(node.path("end"));
    if (text.isEmpty() || Double.isNaN(told) || Double.isNaN(end)) {
      return Optional.empty();
    }
    double start = Math.clamp(told, 0, TIME_MAX);
    return Optional.of(
        new TranscriptSegment(
            start,
            Math.clamp(end, start, TIME_MAX),
            text,
            name(node.path("speaker")),
            name(node.path("language")).or(() -> language),
            words(node.path("words")),
            confidence(node)));
  }

  /** The readable words of an array; {@code word} or {@code text} is the word. */
  static List<TimedToken> words(JsonNode array) {
    List<TimedToken> words = new ArrayList<>();
    for (JsonNode node : array) {
      String text = clean(node.path("word").asString(node.path("text").asString("")), NAME_MAX);
      double start = seconds(node.path("start"));
      double end = seconds(node.path("end"));
      if (!text.isEmpty() && start >= 0 && end >= start) {
        words.add(new TimedToken(start, end, text, probability(node)));
      }
    }
    return words;
  }

  /** How sure the transcriber is of a word, under one of the names that servers give it. */
  private static Optional<Double> probability(JsonNode word) {
    return Stream.of("confidence", "probability", "score")
        .map(name -> seconds(word.path(name)))
        .filter(told -> told >= 0 && told <= 1)
        .findFirst();
  }

  /**
   * How sure the transcriber is, from 0 to 1: as it says, or else by the mean logarithm of its
   * probabilities, of a segment or of an array of tokens.
   */
  static Optional<Double> confidence(JsonNode node) {
    double told = seconds(node.path("confidence"));
    if (told >= 0 && told <= 1) {
      return Optional.of(told);
    }
    double logarithm =
        node.isArray()
            ? node.valueStream()
                .mapToDouble(token -> seconds(token.path("logprob")))
                .average()
                .orElse(Double.NaN)
            : seconds(node.path("avg_logprob"));
    return logarithm <= 0 ? Optional.of(Math.exp(logarithm)) : Optional.empty();
  }

  /** The readable segments of an array. */
  static List<TranscriptSegment> readAll(JsonNode array, Optional<String> language) {
    List<TranscriptSegment> segments = new ArrayList<>();
    array.forEach(node -> read(node, language).ifPresent(segments::add));
    return segments;
  }

  /** A line of JSON; empty when it is something else. */
  static Optional<JsonNode> json(String line) {
    if (!line.startsWith("{") && !line.startsWith("[")) {
      return Optional.empty();
    }
    try {
      return Optional.of(Json.read(line));
    } catch (JacksonException notJson) {
      return Optional.empty();
    }
  }

  /** Without NUL, which Postgres cannot store, and truncated. */
  static String clean(String text, int max) {
    String clean = text.replace("\0", "").strip();
    return clean.length() > max ? clean.substring(0, max) : clean;
  }

  private static Optional<String> name(JsonNode node) {
    return node.isString()
        ? Optional.of(clean(node.asString(), NAME_MAX)).filter(name -> !name.isEmpty())
        : Optional.empty();
  }

  private static double seconds(JsonNode node) {
    if (node.isNumber()) {
      return node.asDouble();
    }
    try {
      return node.isString() ? Double.parseDouble(node.asString()) : Double.NaN;
    } catch (NumberFormatException notNumber) {
      return Double.NaN;
    }
  }
}
