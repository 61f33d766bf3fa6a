package io.convoke.fakes.vexa;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The image's calls to the URL in its configuration: up to 0.10 with another last segment for each
 * kind of call, the goodbye of 0.4 and 0.5 without the query; 0.12 calls the URL as it is.
 */
final class VexaCallbackClient {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

  /** A response that the image takes as success. */
  private static final Set<String> ACCEPTED = Set.of("processed", "ok", "container_updated");

  private final VexaBotConfig config;
  private final VexaRelease vexaRelease;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(ANSWER_MAX)
          .build();
  private volatile int turns;

  VexaCallbackClient(VexaBotConfig config, VexaRelease vexaRelease) {
    this.config = config;
    this.vexaRelease = vexaRelease;
  }

  /** What became of a call. */
  enum CallResult {
    ACCEPTED,
    /** The server answered, and not what the image takes as success. */
    REFUSED,
    UNHEARD
  }

  /** The only call of release 0.5 before its end: it was admitted. */
  CallResult started() {
    return call(whole("/started"), "/started", "", Map.of("container_id", config.containerName()));
  }

  /** The last call of releases 0.4 and 0.5: to the path of the URL, without its query. */
  CallResult exited(int exitCode, String reason) {
    URI url = whole("/exited");
    return call(
        URI.create(url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath()),
        "/exited",
        "",
        Map.of("exit_code", exitCode, "reason", reason));
  }

  /** Participants spoke so many times: some releases tell of each in their last call. */
  void spoken(int times) {
    turns = times;
  }

  /** A change of status; what is null is left out, as JSON.stringify does. */
  CallResult status(
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
    if (exitCode != null && turns > 0 && vexaRelease.tellsSpeech()) {
      facts.put("speaker_events", speech());
    }
    return vexaRelease == VexaRelease.V0_12
        ? call(URI.create(config.callbackUrl()), "/status_change", status, facts)
        : call(whole("/status_change"), "/status_change", status, facts);
  }

  private List<Map<String, Object>> speech() {
    return IntStream.range(0, turns)
        .boxed()
        .flatMap(turn -> Stream.of(edge("SPEAKER_START", turn), edge("SPEAKER_END", turn)))
        .toList();
  }

  private static Map<String, Object> edge(String kind, int turn) {
    return Map.of(
        "event_type",
        kind,
        "participant_name",
        "Ada Lovelace",
        "participant_id",
        "spaces/x/devices/ada",
        "relative_timestamp_ms",
        turn * 2_000L);
  }

  private URI whole(String name) {
    return URI.create(config.callbackUrl().replaceFirst("/exited", name));
  }

  private CallResult call(
      URI url, String name, String status, Map<String, ? extends @Nullable Object> facts) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("connection_id", config.connectionId());
    facts.forEach(
        (key, value) -> {
          if (value != null) {
            body.put(key, value);
          }
        });
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(url)
            .timeout(ANSWER_MAX)
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofByteArray(
                    JsonMapper.shared().writeValueAsBytes(body)));
    config.internalSecret().ifPresent(secret -> builder.header("x-internal-secret", secret));
    CallResult callResult = CallResult.UNHEARD;
    int tries = vexaRelease.tries(status);
    for (int attempt = 0; attempt < tries && callResult != CallResult.ACCEPTED; attempt++) {
      if (attempt > 0) {
        LockSupport.parkNanos(firstPause().toNanos() << (attempt - 1));
      }
      callResult = heard(builder.build(), name);
    }
    return callResult;
  }

  private Duration firstPause() {
    return vexaRelease == VexaRelease.V0_12 ? Duration.ofMillis(500) : Duration.ofSeconds(1);
  }

  private CallResult heard(HttpRequest request, String name) {
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println(name + " answered " + response.statusCode());
      if (response.statusCode() / 100 != 2) {
        return CallResult.REFUSED;
      }
      String status = JsonMapper.shared().readTree(response.body()).path("status").asString("");
      if (vexaRelease.readsAnswers() && !ACCEPTED.contains(status)) {
        FakeVexaBot.complain("an answer with the status '" + status + "'");
        return CallResult.REFUSED;
      }
      return CallResult.ACCEPTED;
    } catch (JacksonException e) {
      FakeVexaBot.complain("an answer that is not JSON");
      return CallResult.REFUSED;
    } catch (IOException e) {
      System.out.println(name + " got no response");
      return CallResult.UNHEARD;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return CallResult.UNHEARD;
    }
  }
}
