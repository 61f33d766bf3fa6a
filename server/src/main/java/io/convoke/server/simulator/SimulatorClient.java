package io.convoke.server.simulator;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Client of the simulator's control API, with timeouts and a size limit. Failures are {@link
 * Problem}s with their own codes, to distinguish them from faults of this server.
 */
final class SimulatorClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private static final int BODY_MAX_BYTES = 4 * 1024 * 1024;

  private final HttpClient client = HttpClientFactory.create(TIMEOUT);
  private final String control;

  /** {@code url} is the simulator's address without a path. */
  SimulatorClient(URI url) {
    this.control = url.toString().replaceAll("/+$", "") + "/control";
  }

  JsonNode state() {
    return accepted(send(request("/state").GET()));
  }

  /** Has the simulator compare stored rows with its state. */
  InvariantReport check(StoredRows rows) {
    JsonNode report =
        accepted(
            send(
                request("/invariants")
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofByteArray(Json.bytes(rows)))));
    if (!report.path("at").isString() || !report.path("invariants").isArray()) {
      throw unreadable();
    }
    try {
      return Json.read(report, InvariantReport.class);
    } catch (JacksonException unknown) {
      throw unreadable();
    }
  }

  /**
   * Sets some faults.
   *
   * @throws Problem 400 with the simulator's message if it rejects them
   */
  void set(JsonNode faults) {
    Optional<String> refusal =
        refusal(
            send(
                request("/faults")
                    .header("Content-Type", "application/json")
                    .method("PATCH", BodyPublishers.ofByteArray(Json.bytes(faults)))));
    if (refusal.isPresent()) {
      throw Problem.badRequest("faults", refusal.get());
    }
  }

  void clear() {
    JsonNode _ = accepted(send(request("/faults").DELETE()));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(control + path)).timeout(TIMEOUT);
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request) {
    try {
      return client.send(
          request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), BODY_MAX_BYTES));
    } catch (IOException broken) {
      throw Problem.of(503, "simulator_away", "The simulator is unreachable. Is it running?");
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw Problem.of(503, "simulator_away", "The call to the simulator was interrupted.");
    }
  }

  private static JsonNode accepted(HttpResponse<byte[]> response) {
    Optional<String> refusal = refusal(response);
    if (refusal.isPresent()) {
      throw Problem.of(
          503, "simulator_refuses", "The simulator rejected the request: " + refusal.get());
    }
    return json(response).filter(JsonNode::isObject).orElseThrow(SimulatorClient::unreadable);
  }

  /** The reason of a rejection; empty otherwise. */
  private static Optional<String> refusal(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    if (status == 200) {
      return Optional.empty();
    }
    if (status != 400 && status != 403) {
      throw unreadable();
    }
    return Optional.of(
        json(response).map(body -> body.path("info").asString("")).orElse("HTTP " + status));
  }

  private static Optional<JsonNode> json(HttpResponse<byte[]> response) {
    try {
      return Optional.of(Json.mapper().readTree(response.body()));
    } catch (JacksonException none) {
      return Optional.empty();
    }
  }

  private static Problem unreadable() {
    return Problem.of(
        503, "simulator_unreadable", "CONVOKE_SIM_URL does not point to a Convoke simulator.");
  }
}
