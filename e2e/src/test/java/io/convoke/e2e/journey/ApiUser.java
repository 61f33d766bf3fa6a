package io.convoke.e2e.journey;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A user with a key, who uses the API as the README shows it. */
public final class ApiUser {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient client = HttpClient.newHttpClient();
  private final String url;
  private final Map<String, String> headers;

  public ApiUser(String url, Map<String, String> headers) {
    this.url = url;
    this.headers = headers;
  }

  public record Reply(int status, JsonNode body, String contentType) {}

  public Reply get(String path) throws IOException, InterruptedException {
    return send(request(path).GET().build());
  }

  /** The body of a file. */
  public byte[] bytes(String path) throws IOException, InterruptedException {
    HttpResponse<byte[]> response =
        client.send(request(path).GET().build(), BodyHandlers.ofByteArray());
    if (response.statusCode() != 200) {
      throw new IOException(path + " is answered " + response.statusCode());
    }
    return response.body();
  }

  public Reply post(String path, String body) throws IOException, InterruptedException {
    return post(path, body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  public Reply post(String path, byte[] body) throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body))
            .build());
  }

  public Reply patch(String path, String body) throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method("PATCH", BodyPublishers.ofString(body))
            .build());
  }

  public Reply put(String path, String body) throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString(body))
            .build());
  }

  /** Reads the event stream from a sequence on until an event fits; it fails after a minute. */
  public JsonNode await(long after, Predicate<JsonNode> fits)
      throws IOException, InterruptedException {
    HttpRequest request =
        request("/events?after=" + after)
            .header("Accept", "text/event-stream")
            .timeout(Duration.ofMinutes(1))
            .GET()
            .build();
    HttpResponse<Stream<String>> response = client.send(request, BodyHandlers.ofLines());
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    StringBuilder seen = new StringBuilder();
    try (Stream<String> lines = response.body()) {
      return lines
          .takeWhile(line -> System.nanoTime() < deadline)
          .filter(line -> line.startsWith("data:"))
          .map(line -> JSON.readTree(line.substring("data:".length())))
          .peek(event -> seen.append(event).append('\n'))
          .filter(fits)
          .findFirst()
          .orElseThrow(() -> new AssertionError("no such event came, but these:\n" + seen));
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
    headers.forEach(request::header);
    return request;
  }

  private Reply send(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    String type = response.headers().firstValue("Content-Type").orElse("");
    boolean json = type.contains("json") && !response.body().isEmpty();
    return new Reply(
        response.statusCode(), json ? JSON.readTree(response.body()) : JSON.missingNode(), type);
  }
}
