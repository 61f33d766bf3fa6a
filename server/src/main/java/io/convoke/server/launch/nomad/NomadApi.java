package io.convoke.server.launch.nomad;

import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.OrchestratorClient;
import io.convoke.server.launch.OrchestratorClient.OrchestratorResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The routes of Nomad's HTTP API that bots need, in Nomad's own terms. Nomad answers 500 both for
 * permanent refusals and for temporary failures; the message distinguishes them.
 */
final class NomadApi implements AutoCloseable {
  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(10);

  /** Nomad forwards a request for output to a node, which may have died without a word. */
  private static final Duration OUTPUT_TIMEOUT = Duration.ofSeconds(5);

  private static final Pattern NEVER =
      Pattern.compile(
          "parameterized job not found|is not a parameterized job|is stopped|unpermitted metadata keys"
              + "|did not provide required meta keys|in passed metadata"
              + "|Payload (is not provided|provided but forbidden|exceeds maximum size)");

  private final NomadConfig terms;
  private final OrchestratorClient http;

  NomadApi(NomadConfig terms) {
    this.terms = terms;
    this.http =
        new OrchestratorClient(
            "Nomad",
            terms.address(),
            () -> terms.token().map(token -> Map.of("X-Nomad-Token", token)).orElse(Map.of()),
            terms.trust());
  }

  /**
   * A dispatch; not fresh if the token had been used before.
   *
   * @param index the first listing index that includes the job
   */
  record NomadDispatchResult(String jobId, long index, boolean fresh) {}

  /** Jobs by prefix, and the index to wait for the next change with. */
  record NomadJobListing(long index, List<NomadJob> jobs) {}

  /**
   * A dispatched job in a listing. One that was stopped is dead at once, and active until its task
   * has ended.
   *
   * @param replaced an allocation has ended, is out of Nomad's reach or leaves a drained node, and
   *     Nomad has started another for it or will: it does for a lost or drained node whatever the
   *     job's {@code reschedule} block says
   */
  record NomadJob(String id, boolean active, boolean replaced, Map<String, String> meta) {
    static NomadJob of(JsonNode stub) {
      Map<String, String> meta = new LinkedHashMap<>();
      stub.path("Meta")
          .properties()
          .forEach(entry -> meta.put(entry.getKey(), entry.getValue().asString("")));
      boolean dead = stub.path("Status").asString("").equals("dead");
      JsonNode groups = stub.path("JobSummary").path("Summary");
      return new NomadJob(
          stub.path("ID").asString(""),
          !dead || groups.valueStream().anyMatch(NomadJob::occupied),
          !dead
              && !stub.path("Stop").asBoolean(false)
              && groups.valueStream().anyMatch(NomadJob::secondTime),
          meta);
    }

    private static boolean occupied(JsonNode group) {
      return sum(group, "Running", "Starting") > 0;
    }

    private static boolean secondTime(JsonNode group) {
      return sum(group, "Running", "Starting") > 1
          || (sum(group, "Complete", "Failed", "Lost", "Unknown") > 0
              && sum(group, "Running", "Starting", "Queued") > 0);
    }

    private static int sum(JsonNode group, String... counts) {
      return Stream.of(counts).mapToInt(count -> group.path(count).asInt(0)).sum();
    }
  }

  /** Runs the job once more, or finds the instance that this token began. */
  NomadDispatchResult dispatch(Map<String, String> meta, String token) throws LaunchException {
    OrchestratorResponse orchestratorResponse =
        http.call(
            "POST",
            "/v1/job/"
                + OrchestratorClient.escaped(terms.job())
                + "/dispatch"
                + query(Map.of("idempotency_token", token)),
            Map.of("Meta", meta),
            ASK_TIMEOUT);
    if (orchestratorResponse.ok()) {
      JsonNode body = orchestratorResponse.json();
      return new NomadDispatchResult(
          body.path("DispatchedJobID").asString(""),
          body.path("JobCreateIndex").asLong(0),
          !body.path("EvalID").asString("").isEmpty());
    }
    boolean never =
        (orchestratorResponse.status() < 500 && orchestratorResponse.status() != 429)
            || NEVER.matcher(orchestratorResponse.text()).find();
    if (never) {
      throw new LaunchException(
          "Nomad refuses the dispatch of "
              + terms.job()
              + ": "
              + OrchestratorClient.shortened(orchestratorResponse.text()));
    }
    throw http.odd(orchestratorResponse);
  }

  /** Every dispatched instance of the job, once something has changed since the given index. */
  NomadJobListing list(long since, Duration wait) {
    Map<String, String> parameters =
        new LinkedHashMap<>(Map.of("prefix", terms.job() + "/dispatch-", "meta", "true"));
    if (since > 0) {
      parameters.put("index", Long.toString(since));
      parameters.put("wait", wait.toSeconds() + "s");
    }
    // Nomad adds up to a sixteenth of the wait, so that not all return at once.
    OrchestratorResponse orchestratorResponse =
        http.call(
            "GET",
            "/v1/jobs" + query(parameters),
            since > 0 ? wait.plus(wait.dividedBy(8)).plus(ASK_TIMEOUT) : ASK_TIMEOUT);
    if (!orchestratorResponse.ok() || !orchestratorResponse.json().isArray()) {
      throw http.odd(orchestratorResponse);
    }
    List<NomadJob> jobs = new ArrayList<>();
    orchestratorResponse.json().forEach(stub -> jobs.add(NomadJob.of(stub)));
    return new NomadJobListing(index(orchestratorResponse), jobs);
  }

  /** An instance with its allocations; empty if Nomad does not know it. */
  Optional<NomadJobInstance> find(String jobId) {
    OrchestratorResponse job = http.call("GET", path(jobId, "") + query(Map.of()), ASK_TIMEOUT);
    if (job.status() == 404) {
      return Optional.empty();
    }
    if (!job.ok()) {
      throw http.odd(job);
    }
    return Optional.of(
        NomadJobInstance.of(job.json(), allocations(jobId, 0, Duration.ZERO).allocations()));
  }

  /** Allocations as Nomad describes them, and their index. */
  record NomadAllocations(long index, JsonNode allocations) {}

  /** The allocations of an instance, once something has changed since the given index. */
  NomadAllocations allocations(String jobId, long since, Duration wait) {
    Map<String, String> parameters =
        since > 0
            ? Map.of("index", Long.toString(since), "wait", wait.toMillis() + "ms")
            : Map.of();
    OrchestratorResponse orchestratorResponse =
        http.call("GET", path(jobId, "/allocations") + query(parameters), ASK_TIMEOUT.plus(wait));
    if (!orchestratorResponse.ok() || !orchestratorResponse.json().isArray()) {
      throw http.odd(orchestratorResponse);
    }
    return new NomadAllocations(index(orchestratorResponse), orchestratorResponse.json());
  }

  /** Stops an instance: the documented route for a job, its record stays. */
  void deregister(String jobId) {
    OrchestratorResponse orchestratorResponse =
        http.call("DELETE", path(jobId, "") + query(Map.of("purge", "false")), ASK_TIMEOUT);
    if (!orchestratorResponse.ok() && orchestratorResponse.status() != 404) {
      throw http.odd(orchestratorResponse);
    }
  }

  /** Sends a signal to a task; one that does not run any more is fine. */
  void signal(String allocationId, String signal) {
    OrchestratorResponse _ =
        http.call(
            "POST",
            "/v1/client/allocation/" + allocationId + "/signal" + query(Map.of()),
            Map.of("Signal", signal),
            ASK_TIMEOUT);
  }

  /** The ends of both output streams of a task, without what cannot be read. */
  String printed(String allocationId, String task) {
    StringBuilder printed = new StringBuilder();
    try {
      for (String stream : List.of("stdout", "stderr")) {
        OrchestratorResponse orchestratorResponse =
            http.call(
                "GET",
                "/v1/client/fs/logs/"
                    + allocationId
                    + query(
                        Map.of(
                            "task", task, "type", stream, "plain", "true", "origin", "end",
                            "offset", "16384")),
                OUTPUT_TIMEOUT);
        printed.append(orchestratorResponse.ok() ? orchestratorResponse.text() : "");
      }
    } catch (LauncherUnavailable e) {
      // A node that does not answer is not asked for its other stream.
    }
    return printed.toString();
  }

  @Override
  public void close() {
    http.close();
  }

  private String query(Map<String, String> parameters) {
    Map<String, String> all = new LinkedHashMap<>(parameters);
    terms.namespace().ifPresent(namespace -> all.put("namespace", namespace));
    terms.region().ifPresent(region -> all.put("region", region));
    return OrchestratorClient.query(all);
  }

  private static String path(String jobId, String rest) {
    return "/v1/job/" + OrchestratorClient.escaped(jobId) + rest;
  }

  private static long index(OrchestratorResponse orchestratorResponse) {
    return orchestratorResponse
        .headers()
        .firstValueAsLong("X-Nomad-Index")
        .orElseThrow(() -> new LauncherUnavailable("Nomad sent no index"));
  }
}
