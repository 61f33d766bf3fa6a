package io.convoke.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls Convoke's API with one key. */
final class DemoApiClient {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
  private static final Duration STREAM_RETRY = Duration.ofSeconds(1);

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(ANSWER_MAX).build();
  private final String url;
  private final String header;
  private final String key;

  /** {@code header} is the header of the key, for example {@code X-API-Key}. */
  DemoApiClient(String url, String header, String key) {
    this.url = url;
    this.header = header;
    this.key = key;
  }

  /** A status and a body; the caller decides what a status means. */
  record DemoApiReply(int status, JsonNode body) {
    boolean good() {
      return status < 300;
    }
  }

  DemoApiReply get(String path) {
    return send(request(path).timeout(ANSWER_MAX).GET().build());
  }

  DemoApiReply post(String path, Map<String, ?> body) {
    return send(
        request(path)
            .timeout(ANSWER_MAX)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build());
  }

  /** Passes on each event behind a number as it arrives, and connects again until it is over. */
  void follow(long after, BooleanSupplier over, Consumer<JsonNode> event) {
    long[] seen = {after};
    while (!over.getAsBoolean()) {
      try {
        read(
            seen[0],
            one -> {
              seen[0] = one.path("seq").asLong();
              event.accept(one);
            });
      } catch (IOException e) {
        LockSupport.parkNanos(STREAM_RETRY.toNanos());
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Reads the event stream until it breaks and passes on each event as it arrives. */
  private void read(long after, Consumer<JsonNode> event) throws IOException, InterruptedException {
    HttpRequest request =
        request("/events?after=" + after).header("Accept", "text/event-stream").GET().build();
    HttpResponse<Stream<String>> response = client.send(request, BodyHandlers.ofLines());
    try (Stream<String> lines = response.body()) {
      lines
          .filter(line -> line.startsWith("data:"))
          .map(line -> JSON.readTree(line.substring("data:".length())))
          .forEach(event);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).header(header, key);
  }

  private DemoApiReply send(HttpRequest request) {
    try {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      String body = response.body();
      return new DemoApiReply(
          response.statusCode(), body.isEmpty() ? JSON.nullNode() : JSON.readTree(body));
    } catch (IOException e) {
      throw new UncheckedIOException("no answer from " + request.uri().getPath(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException(e));
    }
  }
}
