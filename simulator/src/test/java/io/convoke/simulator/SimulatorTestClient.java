package io.convoke.simulator;

import io.convoke.simulator.http.SimJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A caller of the simulator over real HTTP, with or without an API key. */
final class SimulatorTestClient implements AutoCloseable {

  /** An answer with its body read as JSON where it is JSON. */
  record Reply(int status, HttpResponse<byte[]> raw, JsonNode body) {
    String error() {
      return body.path("error").asString("");
    }

    Optional<String> header(String name) {
      return raw.headers().firstValue(name);
    }
  }

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI base;
  private final Optional<String> apiKey;

  SimulatorTestClient(Simulator simulator) {
    this(simulator.url(), Optional.of(simulator.apiKey()));
  }

  SimulatorTestClient(URI base, Optional<String> apiKey) {
    this.base = base;
    this.apiKey = apiKey;
  }

  Reply get(String path) {
    return send("GET", path, "");
  }

  Reply post(String path, String json) {
    return send("POST", path, json);
  }

  Reply delete(String path) {
    return send("DELETE", path, "");
  }

  Reply send(String method, String path, String json, String... headers) {
    URI target = path.startsWith("http") ? URI.create(path) : URI.create(base + path);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target)
            .timeout(Duration.ofSeconds(20))
            .method(
                method,
                json.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(json));
    apiKey.ifPresent(key -> request.header("Authorization", "Bearer " + key));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<byte[]> answer =
          http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      JsonNode body = SimJson.read(answer.body()).orElse(JsonNodeFactory.instance.missingNode());
      return new Reply(answer.statusCode(), answer, body);
    } catch (IOException failed) {
      throw new AssertionError("no answer to " + method + " " + path, failed);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", stopped);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
