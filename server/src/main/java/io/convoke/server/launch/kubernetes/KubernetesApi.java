package io.convoke.server.launch.kubernetes;

import io.convoke.engine.json.Json;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.PlatformApi;
import io.convoke.server.launch.PlatformApi.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** The routes of the Kubernetes API that bots need, in one namespace. */
final class KubernetesApi implements AutoCloseable {
  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(10);

  /** Grace beyond a watch's own timeout before the client closes it. */
  private static final Duration WATCH_SLACK = Duration.ofSeconds(15);

  private final KubernetesTerms terms;
  private final PlatformApi http;

  KubernetesApi(KubernetesTerms terms) {
    this.terms = terms;
    this.http =
        new PlatformApi(
            "Kubernetes",
            terms.server(),
            () ->
                terms
                    .token()
                    .get()
                    .map(token -> Map.of("Authorization", "Bearer " + token))
                    .orElse(Map.of()),
            terms.trust());
  }

  /** The pod of a launch; empty if a pod of that name exists already. */
  Optional<Pod> create(LaunchSpec spec) throws LaunchException {
    Answer answer =
        http.call(
            "POST",
            path("/pods") + strict(),
            Manifests.pod(terms.fleet(), terms.image(), spec),
            ASK_TIMEOUT);
    if (answer.status() == 409) {
      return Optional.empty();
    }
    return Optional.of(Pod.of(accepted("pod", answer)));
  }

  /** The configuration of a pod; one that exists already is fine. */
  void createSecret(LaunchSpec spec, Pod owner) throws LaunchException {
    Answer answer =
        http.call(
            "POST",
            path("/secrets") + strict(),
            Manifests.secret(terms.fleet(), spec, owner),
            ASK_TIMEOUT);
    if (answer.status() != 409) {
      JsonNode _ = accepted("secret", answer);
    }
  }

  Optional<Pod> find(String name) {
    Answer answer = http.call("GET", path("/pods/" + PlatformApi.escaped(name)), ASK_TIMEOUT);
    if (answer.status() == 404) {
      return Optional.empty();
    }
    if (!answer.ok()) {
      throw http.odd(answer);
    }
    return Optional.of(Pod.of(answer.json()));
  }

  /** Pods, and the version to watch from. */
  record Listing(String version, List<Pod> pods) {}

  /** All pods that a selector chooses: {@code labelSelector} or {@code fieldSelector}. */
  Listing list(String selector, String expression) {
    Answer answer =
        http.call(
            "GET", path("/pods") + PlatformApi.query(Map.of(selector, expression)), ASK_TIMEOUT);
    JsonNode body = answer.json();
    if (!answer.ok() || !body.path("items").isArray()) {
      throw http.odd(answer);
    }
    List<Pod> pods = new ArrayList<>();
    body.path("items").forEach(pod -> pods.add(Pod.of(pod)));
    return new Listing(body.path("metadata").path("resourceVersion").asString(""), pods);
  }

  /**
   * Watches the pods of a selector. Returns when the listener returns false, when the time is over,
   * or when the server ends it, as it does for versions that are too old.
   *
   * @param listener called for each change with the pod, and whether it was deleted
   */
  void watch(
      String selector,
      String expression,
      String version,
      Duration atMost,
      BiPredicate<Pod, Boolean> listener) {
    long seconds = Math.max(1, atMost.toSeconds());
    InputStream stream =
        http.stream(
            path("/pods")
                + PlatformApi.query(
                    Map.of(
                        selector,
                        expression,
                        "watch",
                        "true",
                        "resourceVersion",
                        version,
                        "timeoutSeconds",
                        Long.toString(seconds))),
            ASK_TIMEOUT);
    CountDownLatch over = hangUpAfter(stream, Duration.ofSeconds(seconds).plus(WATCH_SLACK));
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (line != null) {
        JsonNode event = Json.read(line);
        String type = event.path("type").asString("");
        boolean pod = type.equals("ADDED") || type.equals("MODIFIED") || type.equals("DELETED");
        if (type.equals("ERROR")
            || (pod && !listener.test(Pod.of(event.path("object")), type.equals("DELETED")))) {
          return;
        }
        line = lines.readLine();
      }
    } catch (IOException | JacksonException e) {
      throw new LauncherUnavailable("the watch was cut off: " + e.getMessage(), e);
    } finally {
      over.countDown();
    }
  }

  /** Begins the end of a pod; one that is gone, or another of its name, is fine. */
  void delete(String name, String uid, long graceSeconds) {
    Answer answer =
        http.call(
            "DELETE",
            path("/pods/" + PlatformApi.escaped(name)),
            Manifests.deletion(uid, graceSeconds),
            ASK_TIMEOUT);
    if (!answer.ok() && answer.status() != 404 && answer.status() != 409) {
      throw http.odd(answer);
    }
  }

  /** The last lines that a pod printed; nothing if they cannot be read. */
  String printed(String name, int lines) {
    Answer answer =
        http.call(
            "GET",
            path("/pods/" + PlatformApi.escaped(name) + "/log")
                + PlatformApi.query(Map.of("tailLines", Integer.toString(lines))),
            ASK_TIMEOUT);
    return answer.ok() ? answer.text() : "";
  }

  @Override
  public void close() {
    http.close();
  }

  /** The body of a success; a permanent refusal fails the launch. */
  private JsonNode accepted(String what, Answer answer) throws LaunchException {
    if (answer.ok()) {
      return answer.json();
    }
    if (answer.status() >= 500 || answer.status() == 429) {
      throw http.odd(answer);
    }
    throw new LaunchException(
        "Kubernetes refuses the "
            + what
            + ": "
            + PlatformApi.shortened(answer.json().path("message").asString("")));
  }

  /** Closes a stream that stays silent for too long; the latch reports an earlier end. */
  private static CountDownLatch hangUpAfter(InputStream stream, Duration time) {
    CountDownLatch over = new CountDownLatch(1);
    Thread _ =
        Thread.ofVirtual()
            .name("kubernetes-watch-guard")
            .start(
                () -> {
                  try {
                    if (!over.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
                      stream.close();
                    }
                  } catch (InterruptedException | IOException e) {
                    return; // It is over all the same.
                  }
                });
    return over;
  }

  private static String strict() {
    return PlatformApi.query(Map.of("fieldValidation", "Strict"));
  }

  private String path(String rest) {
    return "/api/v1/namespaces/" + PlatformApi.escaped(terms.namespace()) + rest;
  }
}
