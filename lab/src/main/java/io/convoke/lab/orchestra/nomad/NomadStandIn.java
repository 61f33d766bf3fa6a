package io.convoke.lab.orchestra.nomad;

import io.convoke.lab.orchestra.Ask;
import io.convoke.lab.orchestra.Desk;
import io.convoke.lab.orchestra.Faults;
import io.convoke.lab.orchestra.Refusal;
import io.convoke.lab.orchestra.Reply;
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
public final class NomadStandIn implements AutoCloseable {
  /** The one parameterized job. */
  public static final String JOB = "bot";

  /** The one token that may do everything. */
  public static final String TOKEN = "5e7b7a06-0000-4000-8000-5ec7e7c0ffee";

  /** The one namespace. */
  public static final String NAMESPACE = "meetings";

  private static final Duration WAIT_MAX = Duration.ofMinutes(10);
  private final NomadCluster cluster;
  private final Desk desk;

  /**
   * Opens.
   *
   * @param script what the job's task runs, in the shell
   * @param metaKeys the metadata that the job allows at dispatch
   * @param killTimeout the task's {@code kill_timeout}
   */
  public NomadStandIn(String script, Set<String> metaKeys, Duration killTimeout) {
    this.cluster = new NomadCluster(script, metaKeys, killTimeout);
    this.desk = new Desk(this::serve, Refusal::words);
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

  /** No server answers; the clients run their tasks on. */
  public void shut() {
    desk.shut();
  }

  /** The servers are back. */
  public void open() {
    desk.open();
  }

  /** The node of a job is lost. */
  public void lose(String jobId) {
    cluster.lose(jobId);
  }

  /** The kernel ends a job's task for its memory. */
  public void outOfMemory(String jobId) {
    cluster.outOfMemory(jobId);
  }

  /** Ended jobs are forgotten. */
  public void collectGarbage() {
    cluster.collect();
  }

  /** How many jobs were dispatched with this value in their metadata. */
  public int dispatched(String key, String value) {
    return cluster.count(meta -> value.equals(meta.get(key)));
  }

  @Override
  public void close() {
    desk.close();
    cluster.killAll();
  }

  private Reply serve(Ask ask) throws InterruptedException {
    if (!TOKEN.equals(ask.header().get("x-nomad-token"))) {
      throw new Refusal(403, "Permission denied");
    }
    List<String> path = ask.path();
    if (path.getFirst().equals("v1") && path.size() >= 2) {
      switch (path.get(1)) {
        case "jobs" -> {
          return jobs(method(ask, "GET"));
        }
        case "job" -> {
          return job(ask, path);
        }
        case "client" -> {
          return client(ask, path);
        }
        default -> {}
      }
    }
    throw new Refusal(404, "Invalid path");
  }

  private Reply job(Ask ask, List<String> path) throws InterruptedException {
    if (path.size() == 4 && path.get(3).equals("dispatch")) {
      return dispatch(method(ask, "POST", "PUT"), path.get(2));
    }
    if (path.size() == 4 && path.get(3).equals("allocations")) {
      Ask get = namespaced(method(ask, "GET").allowing("namespace", "all", "index", "wait"));
      long index = await(get);
      return indexed(index, cluster.allocations(path.get(2)));
    }
    if (path.size() == 3 && ask.method().equals("DELETE")) {
      Ask delete = namespaced(ask.allowing("namespace", "purge", "global", "no_shutdown_delay"));
      if (delete.parameter("purge").orElse("false").equals("true")) {
        throw new Refusal(400, "this stand-in purges nothing");
      }
      long index = cluster.deregister(path.get(2));
      return Reply.Json.of(
          Map.of(
              "EvalID",
              UUID.randomUUID().toString(),
              "EvalCreateIndex",
              index,
              "JobModifyIndex",
              index));
    }
    if (path.size() == 3) {
      Ask get = namespaced(method(ask, "GET").allowing("namespace", "index", "wait"));
      long index = await(get);
      return indexed(index, cluster.job(path.get(2), NAMESPACE));
    }
    throw new Refusal(404, "Invalid path");
  }

  private Reply dispatch(Ask ask, String job) {
    Ask post = namespaced(ask.allowing("namespace", "idempotency_token"));
    if (!job.equals(JOB)) {
      throw new Refusal(500, "parameterized job not found");
    }
    JsonNode body = post.object();
    Ask.only(body, "the dispatch", "Payload", "Meta", "IdPrefixTemplate");
    if (body.has("Payload")) {
      throw new Refusal(500, "Payload is not allowed");
    }
    Map<String, String> meta = new LinkedHashMap<>();
    body.path("Meta")
        .properties()
        .forEach(entry -> meta.put(entry.getKey(), Ask.text(body.path("Meta"), entry.getKey())));
    NomadCluster.Dispatched dispatched =
        cluster.dispatch(job, meta, post.parameter("idempotency_token"));
    return Reply.Json.of(
        Map.of(
            "Index",
            dispatched.index(),
            "JobCreateIndex",
            dispatched.index(),
            "EvalCreateIndex",
            dispatched.fresh() ? dispatched.index() : 0,
            "EvalID",
            dispatched.fresh() ? UUID.randomUUID().toString() : "",
            "DispatchedJobID",
            dispatched.id()));
  }

  private Reply jobs(Ask ask) throws InterruptedException {
    Ask get = namespaced(ask.allowing("namespace", "prefix", "meta", "index", "wait"));
    long index = await(get);
    return indexed(
        index,
        cluster.stubs(
            get.parameter("prefix").orElse(""),
            NAMESPACE,
            get.parameter("meta").orElse("false").equals("true")));
  }

  private Reply client(Ask ask, List<String> path) {
    if (path.size() == 5 && path.get(2).equals("allocation") && path.get(4).equals("signal")) {
      JsonNode body = namespaced(method(ask, "POST", "PUT").allowing("namespace")).object();
      Ask.only(body, "the signal", "Signal", "Task");
      cluster.signal(path.get(3), Ask.text(body, "Signal"));
      return Reply.Json.of(Map.of());
    }
    if (path.size() == 5 && path.get(2).equals("fs") && path.get(3).equals("logs")) {
      Ask get =
          namespaced(
              method(ask, "GET")
                  .allowing("namespace", "task", "type", "plain", "origin", "offset", "follow"));
      if (!get.parameter("task").equals(Optional.of("bot"))) {
        throw new Refusal(404, "unknown task name");
      }
      String type = get.parameter("type").orElse("");
      if (!type.equals("stdout") && !type.equals("stderr")) {
        throw new Refusal(400, "type must be stdout or stderr");
      }
      if (!get.parameter("plain").equals(Optional.of("true"))) {
        throw new Refusal(400, "this stand-in sends logs as plain text only");
      }
      return new Reply.Text(type.equals("stdout") ? cluster.printed(path.get(4)) : "");
    }
    throw new Refusal(404, "Invalid path");
  }

  private long await(Ask ask) throws InterruptedException {
    Optional<Long> seen = ask.number("index");
    // No wait, and a wait of nothing, mean the default.
    Duration wait =
        ask.parameter("wait")
            .map(NomadStandIn::duration)
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
    throw new Refusal(400, "Invalid wait time");
  }

  private static Reply indexed(long index, Object body) {
    return new Reply.Json(200, Map.of("X-Nomad-Index", Long.toString(index)), body);
  }

  private static Ask namespaced(Ask ask) {
    if (!ask.parameter("namespace").orElse("default").equals(NAMESPACE)) {
      throw new Refusal(403, "Permission denied");
    }
    return ask;
  }

  private static Ask method(Ask ask, String... allowed) {
    if (!List.of(allowed).contains(ask.method())) {
      throw new Refusal(405, "Invalid method");
    }
    return ask;
  }
}
