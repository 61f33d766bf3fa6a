package io.convoke.server.launch.kubernetes;

import io.convoke.engine.json.Json;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.OrchestratorClient;
import io.convoke.server.launch.OrchestratorClient.OrchestratorResponse;
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

  /** In messages of a quota's refusals that pass. */
  private static final List<String> PASSING_REFUSALS =
      List.of("exceeded quota", "status unknown for quota");

  private final KubernetesConfig terms;
  private final OrchestratorClient http;

  KubernetesApi(KubernetesConfig terms) {
    this.terms = terms;
    this.http =
        new OrchestratorClient(
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
  Optional<KubernetesPod> create(LaunchSpec spec) throws LaunchException {
    OrchestratorResponse orchestratorResponse =
        http.call("POST", path("/pods") + strict(), PodManifests.pod(terms, spec), ASK_TIMEOUT);
    if (exists(orchestratorResponse)) {
      return Optional.empty();
    }
    return Optional.of(KubernetesPod.of(accepted("pod", orchestratorResponse)));
  }

  /** The configuration of a pod; one that exists already is fine. */
  void createSecret(LaunchSpec spec, KubernetesPod owner) throws LaunchException {
    OrchestratorResponse orchestratorResponse =
        http.call(
            "POST",
            path("/secrets") + strict(),
            PodManifests.secret(terms.fleet(), spec, owner),
            ASK_TIMEOUT);
    if (!exists(orchestratorResponse)) {
      JsonNode _ = accepted("secret", orchestratorResponse);
    }
  }

  /** The pod of a name; empty only if the API itself says that there is none. */
  Optional<KubernetesPod> find(String name) {
    OrchestratorResponse orchestratorResponse =
        http.call("GET", path("/pods/" + OrchestratorClient.escaped(name)), ASK_TIMEOUT);
    if (notFound(orchestratorResponse)) {
      return Optional.empty();
    }
    if (!orchestratorResponse.ok()) {
      throw http.odd(orchestratorResponse);
    }
    return Optional.of(KubernetesPod.of(orchestratorResponse.json()));
  }

  /** Pods, and the version to watch from. */
  record PodListing(String version, List<KubernetesPod> pods) {}

  /** All pods that a selector chooses: {@code labelSelector} or {@code fieldSelector}. */
  PodListing list(String selector, String expression) {
    OrchestratorResponse orchestratorResponse =
        http.call(
            "GET",
            path("/pods") + OrchestratorClient.query(Map.of(selector, expression)),
            ASK_TIMEOUT);
    JsonNode body = orchestratorResponse.json();
    if (!orchestratorResponse.ok() || !body.path("items").isArray()) {
      throw http.odd(orchestratorResponse);
    }
    List<KubernetesPod> pods = new ArrayList<>();
    body.path("items").forEach(pod -> pods.add(KubernetesPod.of(pod)));
    return new PodListing(body.path("metadata").path("resourceVersion").asString(""), pods);
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
      BiPredicate<KubernetesPod, Boolean> listener) {
    long seconds = Math.max(1, atMost.toSeconds());
    InputStream stream =
        http.stream(
            path("/pods")
                + OrchestratorClient.query(
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
            || (pod
                && !listener.test(
                    KubernetesPod.of(event.path("object")), type.equals("DELETED")))) {
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
    OrchestratorResponse orchestratorResponse =
        http.call(
            "DELETE",
            path("/pods/" + OrchestratorClient.escaped(name)),
            PodManifests.deletion(uid, graceSeconds),
            ASK_TIMEOUT);
    if (!orchestratorResponse.ok()
        && !notFound(orchestratorResponse)
        && orchestratorResponse.status() != 409) {
      throw http.odd(orchestratorResponse);
    }
  }

  /** The last lines that a pod's bot printed; nothing if they cannot be read. */
  String printed(String name, int lines) {
    OrchestratorResponse orchestratorResponse =
        http.call(
            "GET",
            path("/pods/" + OrchestratorClient.escaped(name) + "/log")
                + OrchestratorClient.query(
                    Map.of(
                        "container", PodManifests.CONTAINER, "tailLines", Integer.toString(lines))),
            ASK_TIMEOUT);
    return orchestratorResponse.ok() ? orchestratorResponse.text() : "";
  }

  @Override
  public void close() {
    http.close();
  }

  /** Whether the API itself says that there is no such pod; a proxy's 404 has no such reason. */
  private static boolean notFound(OrchestratorResponse orchestratorResponse) {
    return orchestratorResponse.status() == 404
        && orchestratorResponse.json().path("reason").asString("").equals("NotFound");
  }

  /** Whether the name is taken; a conflict in a quota's counting is 409 too, and passes. */
  private static boolean exists(OrchestratorResponse orchestratorResponse) {
    return orchestratorResponse.status() == 409
        && orchestratorResponse.json().path("reason").asString("").equals("AlreadyExists");
  }

  /**
   * Whether waiting may help: a busy server, a quota that others' pods exhaust or whose usage is
   * not counted yet, a token that is just being renewed.
   */
  private static boolean passing(OrchestratorResponse orchestratorResponse) {
    int status = orchestratorResponse.status();
    return status >= 500
        || status == 401
        || status == 409
        || status == 429
        || (status == 403
            && PASSING_REFUSALS.stream()
                .anyMatch(orchestratorResponse.json().path("message").asString("")::contains));
  }

  /** The body of a success; a permanent refusal fails the launch. */
  private JsonNode accepted(String what, OrchestratorResponse orchestratorResponse)
      throws LaunchException {
    if (orchestratorResponse.ok()) {
      return orchestratorResponse.json();
    }
    if (passing(orchestratorResponse)) {
      throw http.odd(orchestratorResponse);
    }
    throw new LaunchException(
        "Kubernetes refuses the "
            + what
            + ": "
            + OrchestratorClient.shortened(
                orchestratorResponse.json().path("message").asString("")));
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
    return OrchestratorClient.query(Map.of("fieldValidation", "Strict"));
  }

  private String path(String rest) {
    return "/api/v1/namespaces/" + OrchestratorClient.escaped(terms.namespace()) + rest;
  }
}
