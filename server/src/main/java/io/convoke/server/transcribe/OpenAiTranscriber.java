package io.convoke.server.transcribe;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import io.convoke.server.media.SpeechWav;
import io.convoke.server.transcribe.AudioPiece.PieceLimits;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Any server with {@code POST /v1/audio/transcriptions}. OpenAI's models differ in the formats that
 * they answer: Whisper has segments and words with times, the diarizing model segments with
 * speakers, all others a text alone. The file is streamed from the disk.
 */
final class OpenAiTranscriber implements Transcriber {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

  /** A piece on a slow server. */
  private static final Duration ANSWER_MAX = Duration.ofHours(2);

  private static final int SAID_MAX = 300;
  private static final int ANSWER_BYTES_MAX = 64 * 1024 * 1024;

  /** 19 MB, of the 25 that OpenAI takes. */
  private static final PieceLimits PIECES = new PieceLimits(600, 15);

  /** A text alone has the times of its piece, so the pieces are shorter. */
  private static final PieceLimits SHORT_PIECES = new PieceLimits(120, 10);

  private final URI url;
  private final Optional<String> key;
  private final String model;
  private final OpenAiFormat format;
  private final Optional<String> language;
  private final HttpClient client = HttpClientFactory.create(CONNECT_MAX);

  /**
   * The transcriber of a server.
   *
   * @param base the server, with or without {@code /v1} at its end
   * @param format that the server answers; empty: by the model's name
   */
  OpenAiTranscriber(
      URI base,
      Optional<String> key,
      String model,
      Optional<OpenAiFormat> format,
      Optional<String> language) {
    String root = base.toString();
    this.url = URI.create(root + (root.endsWith("/v1") ? "" : "/v1") + "/audio/transcriptions");
    this.key = key;
    this.model = model;
    this.format = format.orElseGet(() -> OpenAiFormat.of(model));
    this.language = language;
  }

  @Override
  public String name() {
    return "openai";
  }

  @Override
  public String configuration() {
    return name() + " " + url + " " + model + " " + format + " " + language.orElse("");
  }

  @Override
  public Optional<PieceLimits> limits() {
    return Optional.of(format == OpenAiFormat.JSON ? SHORT_PIECES : PIECES);
  }

  @Override
  public TranscriptionResult transcribe(Path audio, TranscriptionListener transcriptionListener)
      throws IOException, InterruptedException {
    String boundary = "convoke-" + UUID.randomUUID();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url)
            .timeout(ANSWER_MAX)
            .header("Content-Type", "multipart/form-data; boundary=" + boundary)
            .header("Accept", "application/json")
            .POST(form(boundary, audio));
    key.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
    HttpResponse<byte[]> response =
        WholeAnswer.of(
            client,
            request.build(),
            BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX),
            ANSWER_MAX);
    int status = response.statusCode();
    if (status == 200) {
      return result(audio, response.body(), transcriptionListener);
    }
    String said = status + " " + message(response.body());
    boolean again = status == 401 || status == 403 || status == 408 || status == 429;
    if (status >= 500 || status < 400 || again) {
      throw new IOException("the transcription server answered " + said);
    }
    return new TranscriptionResult.AudioRefused(
        "the transcription server refuses the audio: " + said);
  }

  private TranscriptionResult result(
      Path audio, byte[] body, TranscriptionListener transcriptionListener)
      throws IOException, InterruptedException {
    JsonNode answer;
    try {
      answer = Json.mapper().readTree(body);
    } catch (JacksonException e) {
      throw new IOException("the transcription server answered something that is not JSON");
    }
    Optional<String> spoken =
        LanguageNames.code(answer.path("language").asString("")).or(() -> language);
    List<TranscriptSegment> segments =
        format.segments(answer, spoken, SpeechWav.open(audio).map(SpeechWav::seconds).orElse(0.0));
    transcriptionListener.onSegments(segments);
    transcriptionListener.progress(1);
    return new TranscriptionResult.AudioTranscribed(segments);
  }

  private BodyPublisher form(String boundary, Path audio) throws IOException {
    StringBuilder fields = new StringBuilder();
    field(fields, boundary, "model", model);
    format.fields(model).forEach(field -> field(fields, boundary, field.name(), field.value()));
    language.ifPresent(code -> field(fields, boundary, "language", code));
    fields
        .append("--")
        .append(boundary)
        .append("\r\nContent-Disposition: form-data; name=\"file\"; filename=\"")
        .append(audio.getFileName())
        .append("\"\r\nContent-Type: audio/wav\r\n\r\n");
    return BodyPublishers.concat(
        BodyPublishers.ofString(fields.toString(), StandardCharsets.UTF_8),
        BodyPublishers.ofFile(audio),
        BodyPublishers.ofString("\r\n--" + boundary + "--\r\n", StandardCharsets.UTF_8));
  }

  private static void field(StringBuilder form, String boundary, String name, String value) {
    form.append("--")
        .append(boundary)
        .append("\r\nContent-Disposition: form-data; name=\"")
        .append(name)
        .append("\"\r\n\r\n")
        .append(value)
        .append("\r\n");
  }

  /** The server's error message. */
  private static String message(byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8);
    String said =
        SegmentParser.json(text.strip())
            .map(json -> json.path("error").path("message").asString(""))
            .filter(it -> !it.isEmpty())
            .orElse(text);
    return SegmentParser.clean(said.replaceAll("\\s+", " "), SAID_MAX);
  }
}
