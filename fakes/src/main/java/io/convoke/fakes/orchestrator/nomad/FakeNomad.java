package io.convoke.fakes.orchestrator.nomad;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeApiServer;
import io.convoke.fakes.orchestrator.FakeReply;
import io.convoke.fakes.orchestrator.FakeRequest;
import io.convoke.fakes.orchestrator.RequestFaults;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** Nomad's API for one parameterized job, with ACLs on. */
public final class FakeNomad implements AutoCloseable {
  /** The one parameterized job. */
  public static final String JOB = "bot";

  /** A job that takes no dispatches. */
  public static final String SERVICE = "web";

  /** A parameterized job that was stopped. */
  public static final String STOPPED = "old-bot";

  /** The one region. */
  public static final String REGION = "global";

  /** The management token. */
  public static final String TOKEN = "5e7b7a06-0000-4000-8000-5ec7e7c0ffee";

  /** The one namespace. */
  public static final String NAMESPACE = "meetings";

  private static final Duration WAIT_MAX = Duration.ofMinutes(10);
  private final FakeNomadCluster cluster;
  private final FakeApiServer fakeApiServer;

  /**
   * Opens.
   *
   * @param script what the job's task runs, in the shell
   * @param metaKeys the metadata that the job allows at dispatch
   * @param killTimeout the task's {@code kill_timeout}
   */
  public FakeNomad(String script, Set<String> metaKeys, Duration killTimeout) {
    this.cluster = new FakeNomadCluster(script, metaKeys, killTimeout);
    this.fakeApiServer = new FakeApiServer(this::serve, FakeApiError::message);
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

  /** Stops the servers; the clients keep running their tasks. */
  public void shut() {
    fakeApiServer.shut();
  }

  /** Starts the servers again. */
  public void open() {
    fakeApiServer.open();
  }

  /** The job requires this key at each dispatch. */
  public void require(String metaKey) {
    cluster.require(metaKey);
  }

  /** No job was registered in this cluster yet. */
  public void unregister() {
    cluster.unregister();
  }

  /** Registers the job after {@link #unregister}. */
  public void register() {
    cluster.register();
  }

  /** Later jobs have a second task, which runs beside the bot. */
  public void addSidecar() {
    cluster.addSidecar();
  }

  /** The driver can start no further task. */
  public void failDriver(String error) {
    cluster.failDriver(error);
  }

  /** Loses the node of a job without a {@code disconnect} block: another node runs it again. */
  public void lose(String jobId) {
    cluster.lose(jobId, true);
  }

  /** As {@link #lose}, when no other node has room. */
  public void loseLastNode(String jobId) {
    cluster.lose(jobId, false);
  }

  /** Loses the node of a job with {@code disconnect { replace = false }}. */
  public void disconnect(String jobId) {
    cluster.disconnect(jobId);
  }

  /** The kernel kills a job's task for its memory. */
  public void outOfMemory(String jobId) {
    cluster.outOfMemory(jobId);
  }

  /** Garbage-collects ended jobs. */
  public void collectGarbage() {
    cluster.collect();
  }

  /** How many jobs were dispatched with this value in their metadata. */
  public int dispatched(String key, String value) {
    return cluster.count(meta -> value.equals(meta.get(key)));
  }

  @Override
  public void close() {
    fakeApiServer.close();
    cluster.killAll();
  }

  private FakeReply serve(FakeRequest asked) throws InterruptedException {
    FakeRequest fakeRequest = inRegion(asked);
    if (!TOKEN.equals(fakeRequest.header().get("x-nomad-token"))) {
      throw new FakeApiError(403, "Permission denied");
    }
    List<String> path = fakeRequest.path();
    if (path.getFirst().equals("v1") && path.size() >= 2) {
      switch (path.get(1)) {
        case "jobs" -> {
          return jobs(method(fakeRequest, "GET"));
        }
        case "job" -> {
          return job(fakeRequest, path);
        }
        case "client" -> {
          return client(fakeRequest, path);
        }
        default -> {}
      }
    }
    throw new FakeApiError(404, "Invalid path");
  }

  private FakeReply job(FakeRequest fakeRequest, List<String> path) throws InterruptedException {
    if (path.size() == 4 && path.get(3).equals("dispatch")) {
      return dispatch(method(fakeRequest, "POST", "PUT"), path.get(2));
    }
    if (path.size() == 4 && path.get(3).equals("allocations")) {
      FakeRequest get =
          namespaced(method(fakeRequest, "GET").allowing("namespace", "all", "index", "wait"));
      long index = await(get);
      return indexed(index, cluster.allocations(path.get(2)));
    }
    if (path.size() == 3 && fakeRequest.method().equals("DELETE")) {
      FakeRequest delete =
          namespaced(fakeRequest.allowing("namespace", "purge", "global", "no_shutdown_delay"));
      if (delete.parameter("purge").orElse("false").equals("true")) {
        throw new FakeApiError(400, "this fake does not purge");
      }
      long index = cluster.deregister(path.get(2));
      return FakeReply.JsonReply.of(
          Map.of(
              "EvalID",
              UUID.randomUUID().toString(),
              "EvalCreateIndex",
              index,
              "JobModifyIndex",
              index));
    }
    if (path.size() == 3) {
      FakeRequest get =
          namespaced(method(fakeRequest, "GET").allowing("namespace", "index", "wait"));
      long index = await(get);
      return indexed(index, cluster.job(path.get(2), NAMESPACE));
    }
    throw new FakeApiError(404, "Invalid path");
  }

  private FakeReply dispatch(FakeRequest fakeRequest, String job) {
    FakeRequest post = namespaced(fakeRequest.allowing("namespace", "idempotency_token"));
    if (job.equals(SERVICE)) {
      throw new FakeApiError(500, "Specified job \"" + job + "\" is not a parameterized job");
    }
    if (job.equals(STOPPED)) {
      throw new FakeApiError(500, "Specified job \"" + job + "\" is stopped");
    }
    if (!job.equals(JOB) || !cluster.registered()) {
      throw new FakeApiError(500, "parameterized job not found");
    }
    JsonNode body = post.object();
    FakeRequest.only(body, "the dispatch", "Payload", "Meta", "IdPrefixTemplate");
    if (body.has("Payload")) {
      throw new FakeApiError(500, "Payload provided but forbidden by parameterized job");
    }
    Map<String, String> meta = new LinkedHashMap<>();
    body.path("Meta")
        .properties()
        .forEach(
            entry -> meta.put(entry.getKey(), FakeRequest.text(body.path("Meta"), entry.getKey())));
    FakeNomadCluster.NomadDispatchReply nomadDispatchReply =
        cluster.dispatch(job, meta, post.parameter("idempotency_token"));
    return FakeReply.JsonReply.of(
        Map.of(
            "Index",
            nomadDispatchReply.index(),
            "JobCreateIndex",
            nomadDispatchReply.index(),
            "EvalCreateIndex",
            nomadDispatchReply.fresh() ? nomadDispatchReply.index() : 0,
            "EvalID",
            nomadDispatchReply.fresh() ? UUID.randomUUID().toString() : "",
            "DispatchedJobID",
            nomadDispatchReply.id()));
  }

  private FakeReply jobs(FakeRequest fakeRequest) throws InterruptedException {
    FakeRequest get =
        namespaced(fakeRequest.allowing("namespace", "prefix", "meta", "index", "wait"));
    long index = await(get);
    return indexed(
        index,
        cluster.stubs(
            get.parameter("prefix").orElse(""),
            NAMESPACE,
            get.parameter("meta").orElse("false").equals("true")));
  }

  private FakeReply client(FakeRequest fakeRequest, List<String> path) {
    if (path.size() == 5 && path.get(2).equals("allocation") && path.get(4).equals("signal")) {
      JsonNode body = namespaced(method(fakeRequest, "POST", "PUT").allowing("namespace")).object();
      FakeRequest.only(body, "the signal", "Signal", "Task");
      cluster.signal(path.get(3), FakeRequest.text(body, "Signal"));
      return FakeReply.JsonReply.of(Map.of());
    }
    if (path.size() == 5 && path.get(2).equals("fs") && path.get(3).equals("logs")) {
      FakeRequest get =
          namespaced(
              method(fakeRequest, "GET")
                  .allowing("namespace", "task", "type", "plain", "origin", "offset", "follow"));
      String task = get.parameter("task").orElse("");
      if (task.isEmpty()) {
        throw new FakeApiError(400, "must provide task name");
      }
      String type = get.parameter("type").orElse("");
      if (!type.equals("stdout") && !type.equals("stderr")) {
        throw new FakeApiError(400, "type must be stdout or stderr");
      }
      if (!get.parameter("plain").equals(Optional.of("true"))) {
        throw new FakeApiError(400, "this fake sends logs as plain text only");
      }
      String printed = cluster.printed(path.get(4), task);
      return new FakeReply.TextReply(type.equals("stdout") ? printed : "");
    }
    throw new FakeApiError(404, "Invalid path");
  }

  private long await(FakeRequest fakeRequest) throws InterruptedException {
    Optional<Long> seen = fakeRequest.number("index");
    // An absent wait and a wait of zero mean the default.
    Duration wait =
        fakeRequest
            .parameter("wait")
            .map(FakeNomad::duration)
            .filter(Duration::isPositive)
            .orElse(Duration.ofMinutes(5));
    return cluster.await(seen.orElse(0L), wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait);
  }

  private static Duration duration(String text) {
    if (text.matches("[0-9]{1,6}s")) {
      return Duration.ofSeconds(Long.parseLong(text.substring(0, text.length() - 1)));
    }
    if (text.matches("[0-9]{1,9}ms")) {
      return Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)));
    }
    throw new FakeApiError(400, "Invalid wait time");
  }

  private static FakeReply indexed(long index, Object body) {
    return new FakeReply.JsonReply(200, Map.of("X-Nomad-Index", Long.toString(index)), body);
  }

  /** Any route takes a region, which the agent forwards to. */
  private static FakeRequest inRegion(FakeRequest fakeRequest) {
    if (!fakeRequest.parameter("region").orElse(REGION).equals(REGION)) {
      throw new FakeApiError(500, "No path to region");
    }
    Map<String, String> rest = new LinkedHashMap<>(fakeRequest.query());
    var _ = rest.remove("region");
    return new FakeRequest(
        fakeRequest.method(), fakeRequest.path(), rest, fakeRequest.header(), fakeRequest.text());
  }

  private static FakeRequest namespaced(FakeRequest fakeRequest) {
    if (!fakeRequest.parameter("namespace").orElse("default").equals(NAMESPACE)) {
      throw new FakeApiError(403, "Permission denied");
    }
    return fakeRequest;
  }

  private static FakeRequest method(FakeRequest fakeRequest, String... allowed) {
    if (!List.of(allowed).contains(fakeRequest.method())) {
      throw new FakeApiError(405, "Invalid method");
    }
    return fakeRequest;
  }
}
