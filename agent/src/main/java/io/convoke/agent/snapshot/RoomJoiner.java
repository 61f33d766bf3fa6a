package io.convoke.agent.snapshot;

import io.convoke.agent.http.WholeAnswer;
import io.convoke.agent.pod.TaskContext;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Joins a room: requests admission, sends the token only where the room requires one, and retries.
 */
final class RoomJoiner {
  private static final Logger log = LoggerFactory.getLogger(RoomJoiner.class);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final Duration AGAIN = Duration.ofMillis(500);

  private final HttpClient http;
  private final SnapshotConfig config;

  RoomJoiner(HttpClient http, SnapshotConfig config) {
    this.http = http;
    this.config = config;
  }

  /** The result of joining. */
  sealed interface JoinResult {
    record JoinedRoom(RoomSession visit) implements JoinResult {}

    /** The outcome of the task if the guest was not admitted. */
    record JoinFailed(AttemptOutcome outcome) implements JoinResult {}
  }

  /** Retries until the platform answers, the patience ends or the task is stopped. */
  JoinResult enter(TaskContext task, SnapshotRequest order) throws InterruptedException {
    String channel = task.channel();
    if (channel.matches("\\.{1,2}")) {
      return failed("there is no room named " + channel);
    }
    URI join = URI.create(config.rooms() + "/" + channel + "/join");
    long giveUp = System.nanoTime() + config.patience().toNanos();
    boolean withToken = false;
    do {
      try {
        HttpResponse<byte[]> answer = ask(join, order, withToken);
        switch (answer.statusCode()) {
          case 200 -> {
            JsonNode entry = Json.read(answer.body(), JsonNode.class);
            return RoomSession.begin(http, join, entry, config.patience())
                .<JoinResult>map(JoinResult.JoinedRoom::new)
                .orElseGet(() -> failed("the room " + channel + " redirects to another host"));
          }
          case 404 -> {
            return failed("there is no room named " + channel);
          }
          case 401, 403 -> {
            if (error(answer).equals("room-full")) {
              return new JoinResult.JoinFailed(
                  new AttemptOutcome.AttemptRetry("the room " + channel + " is full"));
            }
            if (withToken) {
              return failed("the room " + channel + " refuses the access token");
            }
            if (order.token().isEmpty()) {
              return failed("the room " + channel + " asks for an access token");
            }
            withToken = true;
            continue;
          }
          default -> log.debug("the platform answered {}", answer.statusCode());
        }
      } catch (IOException | JacksonException e) {
        log.debug("the platform did not answer: {}", e.toString());
      }
      if (task.awaitStop(AGAIN)) {
        return new JoinResult.JoinFailed(new AttemptOutcome.AttemptFailed("stopped"));
      }
    } while (System.nanoTime() - giveUp < 0);
    return new JoinResult.JoinFailed(
        new AttemptOutcome.AttemptRetry("the platform is unreachable"));
  }

  private HttpResponse<byte[]> ask(URI join, SnapshotRequest order, boolean withToken)
      throws IOException, InterruptedException {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("user_name", order.guest());
    body.put("hidden", true);
    Optional<String> token = withToken ? order.token() : Optional.empty();
    token.ifPresent(text -> body.put("token", text));
    HttpRequest request =
        HttpRequest.newBuilder(join)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
            .build();
    return WholeAnswer.of(http, request, HttpResponse.BodyHandlers.ofByteArray(), ANSWER_MAX);
  }

  /** The platform's code for its refusal, if it gave one. */
  private static String error(HttpResponse<byte[]> answer) {
    try {
      return Json.read(answer.body(), JsonNode.class).path("error").asString("");
    } catch (JacksonException e) {
      return "";
    }
  }

  private static JoinResult failed(String reason) {
    return new JoinResult.JoinFailed(new AttemptOutcome.AttemptFailed(reason));
  }
}
