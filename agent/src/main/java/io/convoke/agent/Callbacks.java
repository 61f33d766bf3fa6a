package io.convoke.agent;

import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
public final class Callbacks implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Callbacks.class);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(3);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

  /** The longest wait of a long poll for commands. */
  private static final Duration COMMANDS_WAIT = Duration.ofSeconds(25);

  private final BotConfig config;
  private final Patience patience;
  private final HttpClient http;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Calls {@code config.callbackUrl()} with the token of this launch. */
  public Callbacks(BotConfig config, Patience patience) {
    this.config = config;
    this.patience = patience;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_MAX)
            .build();
  }

  /** The process runs. */
  public Reply started() throws InterruptedException {
    return send("POST", "started", Map.of("meeting_id", config.meetingId()), patience);
  }

  /** The bot was admitted. */
  public Reply joined() throws InterruptedException {
    return send("POST", "joined", Map.of(), patience);
  }

  /** The bot lives. One try. */
  public Reply heartbeat() throws InterruptedException {
    return send("POST", "heartbeat", Map.of(), Patience.NONE);
  }

  /** The bot has begun to leave. */
  public Reply stopping(String reason, Duration atMost) throws InterruptedException {
    return send(
        "PATCH", "status", Map.of("status", "stopping", "reason", reason), patience.within(atMost));
  }

  /** The bot exits; its last call. */
  public Reply exited(int exitCode, String reason, Duration atMost) throws InterruptedException {
    return send(
        "POST", "exited", Map.of("exit_code", exitCode, "reason", reason), patience.within(atMost));
  }

  /**
   * Long poll for commands: returns at once when there are any, otherwise when one arrives, the
   * meeting ends, or the wait passes. One try. An older control plane answers 404, which says
   * nothing about the launch.
   */
  Reply commands() throws InterruptedException {
    HttpRequest request =
        request("commands?wait=" + COMMANDS_WAIT.toSeconds())
            .timeout(COMMANDS_WAIT.plus(ANSWER_MAX))
            .GET()
            .build();
    try {
      HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      return switch (response.statusCode()) {
        case 200 -> heard(response.body());
        case 401, 403, 410 -> new Reply.Over();
        case 408, 425, 429, 500, 502, 503, 504 -> new Reply.Silent();
        default -> new Reply.Refused(response.statusCode());
      };
    } catch (IOException e) {
      log.debug("waiting for commands failed: {}", e.toString());
      return new Reply.Silent();
    }
  }

  /** A command was taken; it need not be repeated. */
  public Reply ack(String commandId) throws InterruptedException {
    return send("POST", "ack", Map.of("command_id", commandId), Patience.NONE);
  }

  /** Sends transcript segments. */
  public Reply transcript(List<Segment> segments) throws InterruptedException {
    return send(
        "POST",
        "transcript",
        Map.of("segments", segments.stream().map(Segment::json).toList()),
        patience.within(Duration.ofSeconds(30)));
  }

  /** Sends participant events, and the full list if known. */
  Reply participants(List<Map<String, Object>> events, Optional<Map<String, Object>> everybody)
      throws InterruptedException {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("events", events);
    everybody.ifPresent(all -> facts.put("everybody", all));
    return send("POST", "participants", facts, patience.within(Duration.ofSeconds(30)));
  }

  @Override
  public void close() {
    closing.countDown();
    http.shutdownNow();
  }

  private Reply send(String method, String name, Map<String, Object> facts, Patience limit)
      throws InterruptedException {
    Map<String, Object> body = new LinkedHashMap<>(facts);
    body.put("connection_id", config.connectionId());
    HttpRequest request =
        request(name)
            .timeout(ANSWER_MAX)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
            .build();
    long giveUp = System.nanoTime() + limit.horizon().toNanos();
    for (int failures = 1; ; failures++) {
      Optional<Reply> reply = once(request, name);
      if (reply.isPresent()) {
        return reply.get();
      }
      Duration pause = limit.pause(failures);
      if (System.nanoTime() + pause.toNanos() - giveUp >= 0) {
        return new Reply.Silent();
      }
      if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        return new Reply.Silent();
      }
    }
  }

  private HttpRequest.Builder request(String name) {
    return HttpRequest.newBuilder(URI.create(config.callbackUrl() + "/callback/" + name))
        .header("Authorization", "Bearer " + config.token());
  }

  /** One try; empty if trying again makes sense. */
  private Optional<Reply> once(HttpRequest request, String name) throws InterruptedException {
    try {
      HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      return switch (response.statusCode()) {
        case 200 -> Optional.of(heard(response.body()));
        case 401, 403, 404, 410 -> Optional.of(new Reply.Over());
        case 408, 425, 429, 500, 502, 503, 504 -> Optional.empty();
        default -> {
          log.warn("callback {} was refused with {}", name, response.statusCode());
          yield Optional.of(new Reply.Refused(response.statusCode()));
        }
      };
    } catch (IOException e) {
      log.debug("callback {} got no answer: {}", name, e.toString());
      return Optional.empty();
    }
  }

  private static Reply heard(byte[] body) {
    try {
      JsonNode answer = Json.read(body, JsonNode.class);
      List<Command> commands = new ArrayList<>();
      for (JsonNode message : answer.path("commands")) {
        Command.of(message).ifPresent(commands::add);
      }
      return new Reply.Heard(answer.path("status").asString(""), commands);
    } catch (JacksonException e) {
      return new Reply.Heard("", List.of());
    }
  }
}
