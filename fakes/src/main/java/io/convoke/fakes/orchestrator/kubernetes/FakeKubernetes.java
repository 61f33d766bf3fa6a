package io.convoke.fakes.orchestrator.kubernetes;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeApiServer;
import io.convoke.fakes.orchestrator.FakeReply;
import io.convoke.fakes.orchestrator.FakeRequest;
import io.convoke.fakes.orchestrator.RequestFaults;
import io.convoke.fakes.orchestrator.kubernetes.FakeKubernetesCluster.PodChange;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** The API server of one namespace, for one token. */
public final class FakeKubernetes implements AutoCloseable {
  /** The one namespace. */
  public static final String NAMESPACE = "meetings";

  /** The only valid token, with the permissions of bots. */
  public static final String TOKEN = "bearer-of-the-service-account";

  private final FakeKubernetesCluster cluster;
  private final FakeApiServer fakeApiServer;
  private final AtomicBoolean nextWatchEnds = new AtomicBoolean();

  /**
   * Opens.
   *
   * @param script what each pod's first container runs, in the shell; the others run until the pod
   *     is ended
   */
  public FakeKubernetes(String script) {
    this.cluster = new FakeKubernetesCluster(script);
    this.fakeApiServer = new FakeApiServer(this::serve, FakeKubernetes::status);
  }

  public URI url() {
    return fakeApiServer.url();
  }

  public RequestFaults faults() {
    return fakeApiServer.faults();
  }

  /** Violations of the API by clients. */
  public List<String> complaints() {
    return fakeApiServer.complaints();
  }

  /** Stops answering; the kubelet keeps running its pods. */
  public void shut() {
    fakeApiServer.shut();
  }

  /** Answers again. */
  public void open() {
    fakeApiServer.open();
  }

  /** The kernel kills a pod's first container for its memory. */
  public void outOfMemory(String pod) {
    cluster.outOfMemory(pod);
  }

  /** The kubelet evicts a pod because its node is short of a resource. */
  public void evict(String pod) {
    cluster.evict(pod);
  }

  /** Evicts a pod by the API, as a drain of its node does. */
  public void drain(String pod) {
    cluster.drain(pod);
  }

  /** Leaves no node with room: pods that are created from now on are not scheduled. */
  public void fillNodes() {
    cluster.obstacle(FakePod.PodObstacle.NO_NODE);
  }

  /** Removes the image: pods that are created from now on have a node and cannot start. */
  public void removeImage() {
    cluster.obstacle(FakePod.PodObstacle.NO_IMAGE);
  }

  /** Schedules a pod to a node whose kubelet does not admit it. */
  public void reject(String pod) {
    cluster.reject(pod);
  }

  /** Lets the container of a pod that waits fail to start. */
  public void failStart(String pod) {
    cluster.failStart(pod);
  }

  /** Ends the next watch as soon as it is open, as an API server that shuts down does. */
  public void endNextWatch() {
    nextWatchEnds.set(true);
  }

  /** Marks the node of a pod as unreachable, or as reachable again. */
  public void unreachable(String pod, boolean so) {
    cluster.unreachable(pod, so);
  }

  /**
   * The node of a pod dies. The control plane deletes the pod, which stays Running until it is
   * deleted without a grace.
   *
   * @param end its deletion timestamp
   */
  public void nodeDies(String pod, Instant end) {
    cluster.nodeDies(pod, end);
  }

  /** Refuses pods because a quota of the namespace is used up. */
  public void exceedQuota() {
    cluster.quota(
        Optional.of(
            new FakeApiError(
                403,
                "Forbidden",
                "pods \"bot\" is forbidden: exceeded quota: bots, requested: pods=1, used: pods=10,"
                    + " limited: pods=10")));
  }

  /** Refuses pods because a quota is so new that its usage is not counted yet. */
  public void uncountedQuota() {
    cluster.quota(
        Optional.of(
            new FakeApiError(
                403,
                "Forbidden",
                "pods \"bot\" is forbidden: status unknown for quota: bots, resources: pods")));
  }

  /** Refuses pods because two requests counted in a quota at the same time. */
  public void conflictInQuota() {
    cluster.quota(
        Optional.of(
            new FakeApiError(
                409,
                "Conflict",
                "Operation cannot be fulfilled on resourcequotas \"bots\": the object has been"
                    + " modified; please apply your changes to the latest version and try again")));
  }

  /** Takes pods again. */
  public void freeQuota() {
    cluster.quota(Optional.empty());
  }

  /** Expires old resource versions. */
  public void compact() {
    cluster.compact();
  }

  /** A pod's phase, also while the API server is down. */
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
    fakeApiServer.close();
    cluster.killAll();
  }

  private FakeReply serve(FakeRequest fakeRequest) {
    if (!("Bearer " + TOKEN).equals(fakeRequest.header().get("authorization"))) {
      throw new FakeApiError(401, "Unauthorized", "Unauthorized");
    }
    List<String> path = fakeRequest.path();
    if (path.size() < 5 || !path.subList(0, 3).equals(List.of("api", "v1", "namespaces"))) {
      throw new FakeApiError(404, "NotFound", "the server could not find the requested resource");
    }
    if (!path.get(3).equals(NAMESPACE)) {
      throw new FakeApiError(403, "Forbidden", "forbidden in namespace " + path.get(3));
    }
    return switch (fakeRequest.method() + " " + path.get(4) + " " + path.size()) {
      case "POST pods 5" -> create(fakeRequest);
      case "POST secrets 5" -> createSecret(fakeRequest);
      case "GET pods 5" -> listOrWatch(fakeRequest);
      case "GET pods 6" ->
          FakeReply.JsonReply.of(cluster.get(fakeRequest.allowing().path().get(5)));
      case "DELETE pods 6" -> delete(fakeRequest);
      case "GET pods 7" -> log(fakeRequest);
      default -> throw new FakeApiError(403, "Forbidden", "not needed by bots");
    };
  }

  private FakeReply create(FakeRequest fakeRequest) {
    JsonNode pod = fakeRequest.allowing("fieldValidation", "fieldManager", "dryRun").object();
    ManifestValidator.pod(pod, NAMESPACE);
    return new FakeReply.JsonReply(201, Map.of(), cluster.create(pod));
  }

  private FakeReply createSecret(FakeRequest fakeRequest) {
    JsonNode secret = fakeRequest.allowing("fieldValidation", "fieldManager", "dryRun").object();
    ManifestValidator.secret(secret, NAMESPACE);
    return new FakeReply.JsonReply(201, Map.of(), cluster.createSecret(secret));
  }

  private FakeReply delete(FakeRequest fakeRequest) {
    FakeRequest request = fakeRequest.allowing("gracePeriodSeconds", "propagationPolicy");
    Optional<String> uid = Optional.empty();
    Optional<Long> grace = request.number("gracePeriodSeconds");
    if (!request.text().isEmpty()) {
      JsonNode options = request.object();
      ManifestValidator.deleteOptions(options);
      uid =
          Optional.of(options.path("preconditions").path("uid").asString(""))
              .filter(text -> !text.isEmpty());
      grace =
          options.has("gracePeriodSeconds")
              ? Optional.of(options.path("gracePeriodSeconds").asLong())
              : grace;
    }
    return FakeReply.JsonReply.of(cluster.delete(request.path().get(5), uid, grace));
  }

  private FakeReply log(FakeRequest fakeRequest) {
    if (!fakeRequest.path().get(6).equals("log")) {
      throw new FakeApiError(403, "Forbidden", "not needed by bots");
    }
    FakeRequest request =
        fakeRequest.allowing("tailLines", "container", "previous", "timestamps", "limitBytes");
    return new FakeReply.TextReply(
        cluster.log(
            request.path().get(5),
            request.parameter("container"),
            request.number("tailLines").map(Math::toIntExact).orElse(Integer.MAX_VALUE)));
  }

  private FakeReply listOrWatch(FakeRequest fakeRequest) {
    FakeRequest request =
        fakeRequest.allowing(
            "labelSelector",
            "fieldSelector",
            "watch",
            "resourceVersion",
            "allowWatchBookmarks",
            "timeoutSeconds",
            "limit");
    Predicate<FakePod> fits =
        selector(request.parameter("labelSelector").orElse(""), FakePod::label)
            .and(
                selector(
                    request.parameter("fieldSelector").orElse(""),
                    (fakePod, field) -> {
                      if (!field.equals("metadata.name")) {
                        throw new FakeApiError(400, "BadRequest", "field label not supported");
                      }
                      return fakePod.name;
                    }));
    String watch = request.parameter("watch").orElse("false");
    if (!watch.equals("true") && !watch.equals("1")) {
      return FakeReply.JsonReply.of(cluster.list(fits));
    }
    long since =
        request
            .number("resourceVersion")
            .orElseThrow(() -> new FakeApiError(400, "BadRequest", "this fake requires a version"));
    Duration limit =
        nextWatchEnds.getAndSet(false)
            ? Duration.ZERO
            : Duration.ofSeconds(request.number("timeoutSeconds").orElse(1800L));
    return new FakeReply.JsonLinesReply(lineSink -> watch(lineSink, fits, since, limit));
  }

  private void watch(
      FakeReply.LineSink lineSink, Predicate<FakePod> fits, long since, Duration limit)
      throws InterruptedException, IOException {
    long deadline = System.nanoTime() + limit.toNanos();
    long seen = since;
    while (System.nanoTime() < deadline) {
      List<PodChange> changes;
      try {
        changes = cluster.after(seen, Duration.ofNanos(deadline - System.nanoTime()));
      } catch (FakeApiError e) {
        lineSink.write(Map.of("type", "ERROR", "object", status(e)));
        return;
      }
      for (PodChange podChange : changes) {
        seen = podChange.version();
        if (fits.test(podChange.pod())) {
          lineSink.write(Map.of("type", podChange.type(), "object", podChange.document()));
        }
      }
    }
  }

  /** Reads a value of a pod by its key. */
  @FunctionalInterface
  private interface PodField {
    String of(FakePod fakePod, String key);
  }

  private static Predicate<FakePod> selector(String text, PodField podField) {
    Predicate<FakePod> all = _ -> true;
    for (String term : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      String[] pair = term.split("==?", 2);
      if (pair.length != 2 || term.contains("!")) {
        throw new FakeApiError(400, "BadRequest", "this fake selects by equality: " + term);
      }
      all = all.and(fakePod -> podField.of(fakePod, pair[0]).equals(pair[1]));
    }
    return all;
  }

  private static Map<String, Object> status(FakeApiError fakeApiError) {
    return Map.of(
        "apiVersion",
        "v1",
        "kind",
        "Status",
        "status",
        "Failure",
        "code",
        fakeApiError.status(),
        "reason",
        fakeApiError.reason(),
        "message",
        fakeApiError.message());
  }
}
