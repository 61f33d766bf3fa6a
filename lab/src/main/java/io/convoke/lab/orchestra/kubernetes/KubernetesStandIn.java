package io.convoke.lab.orchestra.kubernetes;

import io.convoke.lab.orchestra.Ask;
import io.convoke.lab.orchestra.Desk;
import io.convoke.lab.orchestra.Faults;
import io.convoke.lab.orchestra.Refusal;
import io.convoke.lab.orchestra.Reply;
import io.convoke.lab.orchestra.kubernetes.KubernetesCluster.Change;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** The API server of one namespace, for one bearer of a token. */
public final class KubernetesStandIn implements AutoCloseable {
  /** The one namespace. */
  public static final String NAMESPACE = "meetings";

  /** The one token that may do what bots need. */
  public static final String TOKEN = "bearer-of-the-service-account";

  private final KubernetesCluster cluster;
  private final Desk desk;

  /**
   * Opens.
   *
   * @param script what each pod's container runs, in the shell
   */
  public KubernetesStandIn(String script) {
    this.cluster = new KubernetesCluster(script);
    this.desk = new Desk(this::serve, KubernetesStandIn::status);
  }

  public URI url() {
    return desk.url();
  }

  public Faults faults() {
    return desk.faults();
  }

  /** What a correct client would not have sent. */
  public List<String> complaints() {
    return desk.complaints();
  }

  /** The API server does not answer; the kubelet runs its pods on. */
  public void shut() {
    desk.shut();
  }

  /** The API server is back. */
  public void open() {
    desk.open();
  }

  /** The kernel ends a pod's container for its memory. */
  public void outOfMemory(String pod) {
    cluster.outOfMemory(pod);
  }

  /** The kubelet ends a pod because its node is short of something. */
  public void evict(String pod) {
    cluster.evict(pod);
  }

  /** The node of a pod is not heard of, or is again. */
  public void unreachable(String pod, boolean so) {
    cluster.unreachable(pod, so);
  }

  /** Old resource versions are gone. */
  public void compact() {
    cluster.compact();
  }

  /** A pod's phase, also while the API server is shut. */
  public String phase(String pod) {
    return cluster.phase(pod);
  }

  public int pods() {
    return cluster.pods();
  }

  public int secrets() {
    return cluster.secrets();
  }

  @Override
  public void close() {
    desk.close();
    cluster.killAll();
  }

  private Reply serve(Ask ask) {
    if (!("Bearer " + TOKEN).equals(ask.header().get("authorization"))) {
      throw new Refusal(401, "Unauthorized", "Unauthorized");
    }
    List<String> path = ask.path();
    if (path.size() < 5 || !path.subList(0, 3).equals(List.of("api", "v1", "namespaces"))) {
      throw new Refusal(404, "NotFound", "the server could not find the requested resource");
    }
    if (!path.get(3).equals(NAMESPACE)) {
      throw new Refusal(403, "Forbidden", "forbidden in namespace " + path.get(3));
    }
    return switch (ask.method() + " " + path.get(4) + " " + path.size()) {
      case "POST pods 5" -> create(ask);
      case "POST secrets 5" -> createSecret(ask);
      case "GET pods 5" -> listOrWatch(ask);
      case "GET pods 6" -> Reply.Json.of(cluster.get(ask.allowing().path().get(5)));
      case "DELETE pods 6" -> delete(ask);
      case "GET pods 7" -> log(ask);
      default -> throw new Refusal(403, "Forbidden", "not among what bots need");
    };
  }

  private Reply create(Ask ask) {
    JsonNode pod = ask.allowing("fieldValidation", "fieldManager", "dryRun").object();
    Manifests.pod(pod, NAMESPACE);
    return new Reply.Json(201, Map.of(), cluster.create(pod));
  }

  private Reply createSecret(Ask ask) {
    JsonNode secret = ask.allowing("fieldValidation", "fieldManager", "dryRun").object();
    Manifests.secret(secret, NAMESPACE);
    return new Reply.Json(201, Map.of(), cluster.createSecret(secret));
  }

  private Reply delete(Ask ask) {
    Ask request = ask.allowing("gracePeriodSeconds", "propagationPolicy");
    Optional<String> uid = Optional.empty();
    Optional<Long> grace = request.number("gracePeriodSeconds");
    if (!request.text().isEmpty()) {
      JsonNode options = request.object();
      Manifests.deleteOptions(options);
      uid =
          Optional.of(options.path("preconditions").path("uid").asString(""))
              .filter(text -> !text.isEmpty());
      grace =
          options.has("gracePeriodSeconds")
              ? Optional.of(options.path("gracePeriodSeconds").asLong())
              : grace;
    }
    return Reply.Json.of(cluster.delete(request.path().get(5), uid, grace));
  }

  private Reply log(Ask ask) {
    if (!ask.path().get(6).equals("log")) {
      throw new Refusal(403, "Forbidden", "not among what bots need");
    }
    Ask request = ask.allowing("tailLines", "container", "previous", "timestamps", "limitBytes");
    return new Reply.Text(
        cluster.log(
            request.path().get(5),
            request.number("tailLines").map(Math::toIntExact).orElse(Integer.MAX_VALUE)));
  }

  private Reply listOrWatch(Ask ask) {
    Ask request =
        ask.allowing(
            "labelSelector",
            "fieldSelector",
            "watch",
            "resourceVersion",
            "allowWatchBookmarks",
            "timeoutSeconds",
            "limit");
    Predicate<Pod> fits =
        selector(request.parameter("labelSelector").orElse(""), Pod::label)
            .and(
                selector(
                    request.parameter("fieldSelector").orElse(""),
                    (pod, field) -> {
                      if (!field.equals("metadata.name")) {
                        throw new Refusal(400, "BadRequest", "field label not supported");
                      }
                      return pod.name;
                    }));
    String watch = request.parameter("watch").orElse("false");
    if (!watch.equals("true") && !watch.equals("1")) {
      return Reply.Json.of(cluster.list(fits));
    }
    long since =
        request
            .number("resourceVersion")
            .orElseThrow(() -> new Refusal(400, "BadRequest", "this stand-in wants a version"));
    Duration limit = Duration.ofSeconds(request.number("timeoutSeconds").orElse(1800L));
    return new Reply.Lines(line -> watch(line, fits, since, limit));
  }

  private void watch(Reply.Line line, Predicate<Pod> fits, long since, Duration limit)
      throws InterruptedException, IOException {
    long deadline = System.nanoTime() + limit.toNanos();
    long seen = since;
    while (System.nanoTime() < deadline) {
      List<Change> changes;
      try {
        changes = cluster.after(seen, Duration.ofNanos(deadline - System.nanoTime()));
      } catch (Refusal e) {
        line.write(Map.of("type", "ERROR", "object", status(e)));
        return;
      }
      for (Change change : changes) {
        seen = change.version();
        if (fits.test(change.pod())) {
          line.write(Map.of("type", change.type(), "object", change.document()));
        }
      }
    }
  }

  /** Reads a value of a pod by its key. */
  @FunctionalInterface
  private interface Reading {
    String of(Pod pod, String key);
  }

  private static Predicate<Pod> selector(String text, Reading reading) {
    Predicate<Pod> all = _ -> true;
    for (String term : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      String[] pair = term.split("==?", 2);
      if (pair.length != 2 || term.contains("!")) {
        throw new Refusal(400, "BadRequest", "this stand-in selects by equality: " + term);
      }
      all = all.and(pod -> reading.of(pod, pair[0]).equals(pair[1]));
    }
    return all;
  }

  private static Map<String, Object> status(Refusal refusal) {
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "Status",
        "status",
        "Failure",
        "code",
        refusal.status(),
        "reason",
        refusal.reason(),
        "message",
        refusal.words());
  }
}
