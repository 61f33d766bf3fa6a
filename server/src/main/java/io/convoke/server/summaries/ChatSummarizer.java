package io.convoke.server.summaries;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Any server with OpenAI's {@code POST /v1/chat/completions}. */
final class ChatSummarizer implements Summarizer {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration ANSWER_MAX = Duration.ofMinutes(10);

  /** The longest {@code Retry-After} that an attempt waits for; a longer one fails the attempt. */
  private static final Duration WAIT_MAX = Duration.ofMinutes(1);

  private static final int WAITS_MAX = 5;
  private static final int ANSWER_BYTES_MAX = 4 * 1024 * 1024;
  private static final int SAID_MAX = 300;

  /** Models that think before they answer refuse {@code max_tokens}. */
  private static final Pattern THINKING = Pattern.compile("(?:.*/)?(?:o\\d|gpt-5).*");

  private final URI url;
  private final Optional<String> key;
  private final String model;
  private final int tokensMax;
  private final int charsMax;
  private final HttpClient client = HttpClientFactory.create(CONNECT_MAX);

  /**
   * The summarizer of a server.
   *
   * @param base the server, with or without {@code /v1} at its end
   * @param tokensMax of an answer
   * @param charsMax of a transcript in one request
   */
  ChatSummarizer(String base, Optional<String> key, String model, int tokensMax, int charsMax) {
    this.url = URI.create(base + (base.endsWith("/v1") ? "" : "/v1") + "/chat/completions");
    this.key = key;
    this.model = model;
    this.tokensMax = tokensMax;
    this.charsMax = charsMax;
  }

  @Override
  public String name() {
    return model;
  }

  @Override
  public int charsMax() {
    return charsMax;
  }

  @Override
  public SummarizerAnswer answer(String instruction, String text)
      throws IOException, InterruptedException {
    HttpRequest request = request(instruction, text);
    CountDownLatch never = new CountDownLatch(1);
    for (int waits = 0; ; waits++) {
      HttpResponse<byte[]> response =
          WholeAnswer.of(
              client,
              request,
              BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX),
              ANSWER_MAX);
      int status = response.statusCode();
      if (status == 200) {
        return answered(response.body());
      }
      String said = status + " " + message(response.body());
      Optional<Duration> pause =
          status == 429 || status == 503 ? retryAfter(response) : Optional.empty();
      if (pause.filter(span -> span.compareTo(WAIT_MAX) <= 0).isEmpty() || waits == WAITS_MAX) {
        boolean again =
            status == 401 || status == 403 || status == 408 || status == 409 || status == 429;
        if (status >= 500 || status < 400 || again) {
          throw new IOException("the summarizer answered " + said);
        }
        return new SummarizerAnswer.SummarizerRefused(
            "the summarizer refuses the transcript: " + said);
      }
      boolean _ = never.await(pause.get().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private HttpRequest request(String instruction, String text) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("model", model);
    body.put(
        "messages",
        List.of(
            Map.of("role", "system", "content", instruction),
            Map.of("role", "user", "content", text)));
    body.put(THINKING.matcher(model).matches() ? "max_completion_tokens" : "max_tokens", tokensMax);
    body.put("response_format", Map.of("type", "json_object"));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url)
            .timeout(ANSWER_MAX)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json")
            .POST(BodyPublishers.ofByteArray(Json.bytes(body)));
    key.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
    return request.build();
  }

  private SummarizerAnswer answered(byte[] body) throws IOException {
    JsonNode choice;
    try {
      choice = Json.mapper().readTree(body).path("choices").path(0);
    } catch (JacksonException e) {
      throw new IOException("the summarizer answered something that is not JSON");
    }
    JsonNode message = choice.path("message");
    if (message.path("refusal").isString()) {
      return new SummarizerAnswer.SummarizerRefused(
          "the model refuses: " + shortened(message.path("refusal").asString()));
    }
    return switch (choice.path("finish_reason").asString("stop")) {
      case "length" ->
          new SummarizerAnswer.SummarizerRefused(
              "the answer is longer than max_tokens=" + tokensMax + "; raise it");
      case "content_filter" ->
          new SummarizerAnswer.SummarizerRefused("the server's content filter cut the answer");
      default -> {
        if (!message.path("content").isString()) {
          throw new IOException("the summarizer answered no message");
        }
        yield new SummarizerAnswer.SummarizerAnswered(message.path("content").asString());
      }
    };
  }

  /** In whole or decimal seconds; a date is left to the pauses between attempts. */
  private static Optional<Duration> retryAfter(HttpResponse<byte[]> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .map(String::strip)
        .filter(value -> value.matches("\\d{1,6}(\\.\\d{1,9})?"))
        .map(value -> Duration.ofMillis((long) Math.ceil(Double.parseDouble(value) * 1000)));
  }

  private static String message(byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8);
    try {
      String told = Json.read(text).path("error").path("message").asString("");
      return shortened(told.isEmpty() ? text : told);
    } catch (JacksonException notJson) {
      return shortened(text);
    }
  }

  private static String shortened(String text) {
    String line = text.replace("\0", "").replaceAll("\\s+", " ").strip();
    return line.substring(0, Math.min(line.length(), SAID_MAX));
  }
}
