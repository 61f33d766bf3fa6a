package io.convoke.agent;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The callbacks of a bot. Every call is idempotent and is retried until the control plane answers
 * or the patience ends; only heartbeats are sent once, because the next one replaces a lost one.
 */
public final class CallbackClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CallbackClient.class);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(3);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

  private static final int SPEECH_TRIES = 5;

  /** The longest wait of a long poll for commands. */
  private static final Duration COMMANDS_WAIT = Duration.ofSeconds(25);

  private final BotConfig config;
  private final RetryPolicy retryPolicy;
  private final HttpClient http;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Calls {@code config.callbackUrl()} with the token of this launch. */
  public CallbackClient(BotConfig config, RetryPolicy retryPolicy) {
    this.config = config;
    this.retryPolicy = retryPolicy;
    this.http = HttpClientFactory.create(CONNECT_MAX);
  }

  /** Reports that the process runs. */
  public CallbackReply started() throws InterruptedException {
    return send("POST", "started", Map.of("meeting_id", config.meetingId()), retryPolicy);
  }

  /**
   * Reports that it waits for admission. An older control plane answers 404, which says nothing
   * about the launch.
   */
  CallbackReply awaitingAdmission() throws InterruptedException {
    return send(
        "POST", "awaiting_admission", Map.of(), retryPolicy.within(Duration.ofSeconds(10)), true);
  }

  /** Reports the admission. */
  public CallbackReply joined() throws InterruptedException {
    return send("POST", "joined", Map.of(), retryPolicy);
  }

  /** Sends a heartbeat, with what the bot has done as JSON. One try. */
  CallbackReply heartbeat(Optional<Map<String, Object>> progress) throws InterruptedException {
    return send(
        "POST",
        "heartbeat",
        progress.<Map<String, Object>>map(report -> Map.of("progress", report)).orElse(Map.of()),
        RetryPolicy.NONE);
  }

  /** Reports that the bot is leaving. */
  public CallbackReply stopping(String reason, Duration atMost) throws InterruptedException {
    return send(
        "PATCH",
        "status",
        Map.of("status", "stopping", "reason", reason),
        retryPolicy.within(atMost));
  }

  /** Reports the exit, as the last call. */
  public CallbackReply exited(int exitCode, String reason, Duration atMost)
      throws InterruptedException {
    return send(
        "POST",
        "exited",
        Map.of("exit_code", exitCode, "reason", reason),
        retryPolicy.within(atMost));
  }

  /**
   * Long poll for commands: returns at once when there are any, otherwise when one arrives, the
   * meeting ends, or the wait passes. One try. An older control plane answers 404, which says
   * nothing about the launch.
   */
  CallbackReply commands() throws InterruptedException {
    HttpRequest request = request("commands?wait=" + COMMANDS_WAIT.toSeconds()).GET().build();
    try {
      HttpResponse<byte[]> response = answer(request, COMMANDS_WAIT.plus(ANSWER_MAX));
      return switch (response.statusCode()) {
        case 200 -> heard(response.body()).orElseGet(CallbackReply.NoReply::new);
        case 401, 403, 410 -> new CallbackReply.LaunchOver();
        case 408, 425, 429, 500, 502, 503, 504 -> new CallbackReply.NoReply();
        default -> new CallbackReply.CallbackRefused(response.statusCode());
      };
    } catch (IOException e) {
      log.debug("waiting for commands failed: {}", e.toString());
      return new CallbackReply.NoReply();
    }
  }

  /** A command was taken; it need not be repeated. */
  public CallbackReply ack(String commandId, Optional<AppliedSettings> result)
      throws InterruptedException {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("command_id", commandId);
    result.ifPresent(settings -> facts.putAll(settings.json()));
    return send("POST", "ack", facts, RetryPolicy.NONE);
  }

  /** Sends transcript segments. */
  public CallbackReply transcript(List<TranscriptSegment> segments) throws InterruptedException {
    return send(
        "POST",
        "transcript",
        Map.of("segments", segments.stream().map(TranscriptSegment::json).toList()),
        retryPolicy.within(Duration.ofSeconds(30)));
  }

  /**
   * Sends messages of the chat. An older control plane answers 404, which says nothing about the
   * launch.
   */
  CallbackReply chat(List<Map<String, Object>> messages) throws InterruptedException {
    return send(
        "POST",
        "chat",
        Map.of("messages", messages),
        retryPolicy.within(Duration.ofSeconds(30)),
        true);
  }

  /** The sound of a command, if the control plane still has it. */
  Optional<byte[]> speech(String commandId) throws InterruptedException {
    HttpRequest request =
        request("speech/" + URLEncoder.encode(commandId, StandardCharsets.UTF_8)).GET().build();
    for (int failures = 1; failures <= SPEECH_TRIES; failures++) {
      try {
        HttpResponse<byte[]> response = answer(request, ANSWER_MAX);
        if (response.statusCode() == 200) {
          return Optional.of(response.body());
        }
        if (response.statusCode() < 500) {
          return Optional.empty();
        }
      } catch (IOException e) {
        log.debug("fetching sound failed: {}", e.toString());
      }
      if (closing.await(retryPolicy.pause(failures).toMillis(), TimeUnit.MILLISECONDS)) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** Sends participant events, and the full list if known. */
  CallbackReply participants(
      List<Map<String, Object>> events, Optional<Map<String, Object>> fullList)
      throws InterruptedException {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("events", events);
    fullList.ifPresent(all -> facts.put("everybody", all));
    return send("POST", "participants", facts, retryPolicy.within(Duration.ofSeconds(30)));
  }

  @Override
  public void close() {
    closing.countDown();
    http.shutdownNow();
  }

  private CallbackReply send(
      String method, String name, Map<String, Object> facts, RetryPolicy limit)
      throws InterruptedException {
    return send(method, name, facts, limit, false);
  }

  /** {@code isNew}: an older control plane may not have this call. */
  private CallbackReply send(
      String method, String name, Map<String, Object> facts, RetryPolicy limit, boolean isNew)
      throws InterruptedException {
    Map<String, Object> body = new LinkedHashMap<>(facts);
    body.put("connection_id", config.connectionId());
    HttpRequest request =
        request(name)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
            .build();
    long giveUp = System.nanoTime() + limit.horizon().toNanos();
    for (int failures = 1; ; failures++) {
      Optional<CallbackReply> reply = once(request, name, isNew);
      if (reply.isPresent()) {
        return reply.get();
      }
      Duration pause = limit.pause(failures);
      if (System.nanoTime() + pause.toNanos() - giveUp >= 0) {
        return new CallbackReply.NoReply();
      }
      if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        return new CallbackReply.NoReply();
      }
    }
  }

  private HttpRequest.Builder request(String name) {
    return HttpRequest.newBuilder(URI.create(config.callbackUrl() + "/callback/" + name))
        .header("Authorization", "Bearer " + config.token());
  }

  /** The whole answer, within a time: the timeout of a request would end with the headers. */
  private HttpResponse<byte[]> answer(HttpRequest request, Duration atMost)
      throws IOException, InterruptedException {
    return WholeAnswer.of(http, request, HttpResponse.BodyHandlers.ofByteArray(), atMost);
  }

  /** One try; empty if trying again makes sense. */
  private Optional<CallbackReply> once(HttpRequest request, String name, boolean isNew)
      throws InterruptedException {
    try {
      HttpResponse<byte[]> response = answer(request, ANSWER_MAX);
      return switch (response.statusCode()) {
        case 200 -> heard(response.body());
        case 401, 403, 404, 410 ->
            Optional.of(
                isNew && response.statusCode() == 404
                    ? new CallbackReply.CallbackRefused(404)
                    : new CallbackReply.LaunchOver());
        case 408, 425, 429, 500, 502, 503, 504 -> Optional.empty();
        default -> {
          log.warn("callback {} was refused with {}", name, response.statusCode());
          yield Optional.of(new CallbackReply.CallbackRefused(response.statusCode()));
        }
      };
    } catch (IOException e) {
      log.debug("callback {} got no answer: {}", name, e.toString());
      return Optional.empty();
    }
  }

  /** Empty for what is no answer of the control plane, such as the page of a proxy. */
  private static Optional<CallbackReply> heard(byte[] body) {
    try {
      JsonNode answer = Json.read(body, JsonNode.class);
      if (!answer.path("commands").isArray()) {
        return Optional.empty();
      }
      List<BotCommand> commands = new ArrayList<>();
      for (JsonNode message : answer.path("commands")) {
        BotCommand.of(message).ifPresent(commands::add);
      }
      String status = answer.path("status").asString("");
      return Optional.of(new CallbackReply.CallbackAccepted(status, commands));
    } catch (JacksonException e) {
      log.debug("an answer is not JSON: {}", e.getOriginalMessage());
      return Optional.empty();
    }
  }
}
