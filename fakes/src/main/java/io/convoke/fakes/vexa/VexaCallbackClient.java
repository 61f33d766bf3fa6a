package io.convoke.fakes.vexa;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The image's calls to the URL in its configuration; it replaces the last path segment. */
final class VexaCallbackClient {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  /** A response that the image takes as success. */
  private static final Set<String> ACCEPTED = Set.of("processed", "ok", "container_updated");

  private final VexaBotConfig config;
  private final VexaRelease vexaRelease;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(ANSWER_MAX)
          .build();

  VexaCallbackClient(VexaBotConfig config, VexaRelease vexaRelease) {
    this.config = config;
    this.vexaRelease = vexaRelease;
  }

  /** The only call of release 0.5 before its end: it was admitted. */
  boolean started() {
    return call("/started", Map.of("container_id", config.containerName()));
  }

  /** The last call of release 0.5. */
  boolean exited(int exitCode, String reason) {
    return call("/exited", Map.of("exit_code", exitCode, "reason", reason));
  }

  /** A change of status; what is null is left out, as JSON.stringify does. */
  boolean status(
      String status,
      @Nullable String reason,
      @Nullable Integer exitCode,
      @Nullable String completionReason,
      @Nullable String failureStage) {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("container_id", config.containerName());
    facts.put("status", status);
    facts.put("reason", reason);
    facts.put("exit_code", exitCode);
    facts.put("completion_reason", completionReason);
    facts.put("failure_stage", failureStage);
    facts.put("timestamp", Instant.now().toString());
    return call("/status_change", facts);
  }

  private boolean call(String name, Map<String, ? extends @Nullable Object> facts) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("connection_id", config.connectionId());
    facts.forEach(
        (key, value) -> {
          if (value != null) {
            body.put(key, value);
          }
        });
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(config.callbackUrl().replaceFirst("/exited", name)))
            .timeout(ANSWER_MAX)
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofByteArray(JsonMapper.shared().writeValueAsBytes(body)))
            .build();
    for (int attempt = 0; attempt < vexaRelease.tries(); attempt++) {
      if (attempt > 0) {
        LockSupport.parkNanos(FIRST_PAUSE.toNanos() << (attempt - 1));
      }
      if (heard(request, name)) {
        return true;
      }
    }
    return false;
  }

  private boolean heard(HttpRequest request, String name) {
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println(name + " answered " + response.statusCode());
      if (response.statusCode() / 100 != 2) {
        return false;
      }
      String status = JsonMapper.shared().readTree(response.body()).path("status").asString("");
      if (vexaRelease.readsAnswers() && !ACCEPTED.contains(status)) {
        FakeVexaBot.complain("an answer with the status '" + status + "'");
        return false;
      }
      return true;
    } catch (JacksonException e) {
      FakeVexaBot.complain("an answer that is not JSON");
      return false;
    } catch (IOException e) {
      System.out.println(name + " got no response");
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
