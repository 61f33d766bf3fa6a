package io.convoke.server.transcribe;

import io.convoke.server.transcribe.TranscriptSegment.TimedToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** The formats in which OpenAI's models answer. */
enum OpenAiFormat {
  /** Segments and words with times. */
  VERBOSE_JSON,
  /** Segments with times and speakers. */
  DIARIZED_JSON,
  /** A text. */
  JSON;

  private static final Set<String> MODELS_WITH_LOGPROBS =
      Set.of("gpt-4o-transcribe", "gpt-4o-mini-transcribe", "gpt-4o-mini-transcribe-2025-12-15");

  /** Between sentences; those in Chinese and Japanese have no space between them. */
  private static final Pattern SENTENCE_END =
      Pattern.compile("(?<=[.?!])\\s+|(?<=[。？！])(?![。？！」』）”’])\\s*");

  /** A word belongs to the segment whose end is not before the word's middle by more. */
  private static final double EDGE = 0.05;

  /** A field of the form. */
  record FormField(String name, String value) {}

  /** The richest format of a model: only Whisper has {@code verbose_json}. */
  static OpenAiFormat of(String model) {
    String name = model.toLowerCase(Locale.ROOT);
    if (name.contains("whisper")) {
      return VERBOSE_JSON;
    }
    return name.contains("diarize") ? DIARIZED_JSON : JSON;
  }

  /** The format of that name, as {@code verbose_json}. */
  static OpenAiFormat named(String text) {
    return Arrays.stream(values())
        .filter(format -> format.wireName().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "a transcriber whose format is verbose_json, diarized_json or json"));
  }

  /** The fields that ask for this format, with all that the model tells in it. */
  List<FormField> fields(String model) {
    List<FormField> fields = new ArrayList<>();
    fields.add(new FormField("response_format", wireName()));
    switch (this) {
      case VERBOSE_JSON -> {
        fields.add(new FormField("timestamp_granularities[]", "segment"));
        fields.add(new FormField("timestamp_granularities[]", "word"));
      }
      case DIARIZED_JSON -> fields.add(new FormField("chunking_strategy", "auto"));
      case JSON -> {
        if (MODELS_WITH_LOGPROBS.contains(model)) {
          fields.add(new FormField("include[]", "logprobs"));
        }
      }
    }
    return fields;
  }

  /**
   * The segments of an answer.
   *
   * @param seconds how long the audio is
   */
  List<TranscriptSegment> segments(JsonNode answer, Optional<String> language, double seconds)
      throws IOException {
    return switch (this) {
      case VERBOSE_JSON -> withWords(parsed(answer, language), answer.path("words"));
      case DIARIZED_JSON -> parsed(answer, language);
      case JSON -> spread(answer, language, seconds);
    };
  }

  private String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static List<TranscriptSegment> parsed(JsonNode answer, Optional<String> language)
      throws IOException {
    if (!answer.path("segments").isArray()) {
      throw new IOException("the transcription server answered no segments");
    }
    return SegmentParser.readAll(answer.path("segments"), language);
  }

  /** The words stand beside the segments and not in them. */
  private static List<TranscriptSegment> withWords(
      List<TranscriptSegment> segments, JsonNode array) {
    List<TimedToken> words = SegmentParser.words(array);
    List<TranscriptSegment> with = new ArrayList<>();
    int next = 0;
    for (TranscriptSegment segment : segments) {
      int from = next;
      while (next < words.size() && middle(words.get(next)) <= segment.end() + EDGE) {
        next++;
      }
      with.add(
          next > from ? segment.with(words.subList(from, next), segment.confidence()) : segment);
    }
    return with;
  }

  private static double middle(TimedToken word) {
    return (word.start() + word.end()) / 2;
  }

  /** The sentences of a text, each with the part of the audio that its length is of all. */
  private static List<TranscriptSegment> spread(
      JsonNode answer, Optional<String> language, double seconds) throws IOException {
    if (!answer.path("text").isString()) {
      throw new IOException("the transcription server answered no text");
    }
    String text = SegmentParser.clean(answer.path("text").asString(), Integer.MAX_VALUE);
    List<String> sentences =
        SENTENCE_END.splitAsStream(text).filter(sentence -> !sentence.isBlank()).toList();
    Optional<Double> confidence = SegmentParser.confidence(answer.path("logprobs"));
    return CommandTranscriber.distribute(sentences, seconds).stream()
        .map(
            segment ->
                new TranscriptSegment(
                    segment.start(),
                    segment.end(),
                    segment.text(),
                    Optional.empty(),
                    language,
                    List.of(),
                    confidence))
        .toList();
  }
}
