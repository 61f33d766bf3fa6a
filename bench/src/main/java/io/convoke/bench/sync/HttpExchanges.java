package io.convoke.bench.sync;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Single requests around the measured ones: for set-up, comparison of responses, and counters. */
final class HttpExchanges {
  /** Those that the web server sends by itself. */
  private static final Set<String> TRANSPORT = Set.of("content-length", "date", "connection");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;
  private final String apiKey;
  private final String internalToken;

  HttpExchanges(URI server, String apiKey, String internalToken) {
    this.server = server;
    this.apiKey = apiKey;
    this.internalToken = internalToken;
  }

  /**
   * An answer as a caller sees it.
   *
   * @param headers by lower-case name, without those of the transport
   */
  record HttpAnswer(Map<String, String> headers, String body) {
    String headerLines() {
      return headers.entrySet().stream()
          .map(header -> header.getKey() + ": " + header.getValue())
          .collect(Collectors.joining("\n"));
    }
  }

  /** Polls a meeting as its user does. */
  HttpAnswer getStatus(long meeting) throws IOException {
    return send(
        HttpRequest.newBuilder(server.resolve(SyncReferenceServer.PATH + "?meeting_id=" + meeting))
            .header("X-API-Key", apiKey)
            .build());
  }

  /** Posts an update of a meeting's sync. */
  void postUpdate(long meeting) throws IOException {
    HttpAnswer _ =
        send(
            HttpRequest.newBuilder(server.resolve(SyncReferenceServer.PATH))
                .header("Authorization", "Bearer " + internalToken)
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(SyncRequests.body(meeting, "in_progress")))
                .build());
  }

  /** Fails unless this server answers a poll with as many bytes under the same names. */
  void requireSame(long meeting, HttpAnswer expected) throws IOException {
    HttpAnswer httpAnswer = getStatus(meeting);
    if (!httpAnswer.body().equals(expected.body())
        || !httpAnswer.headers().keySet().equals(expected.headers().keySet())) {
      throw new IllegalStateException(server + " answers " + httpAnswer + ", ours " + expected);
    }
  }

  /** A counter of the server; 0 if it does not exist yet. */
  long metric(String name) throws IOException {
    return send(HttpRequest.newBuilder(server.resolve("/metrics")).build())
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  private HttpAnswer send(HttpRequest request) throws IOException {
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(
            request.uri() + " was answered " + response.statusCode() + ": " + response.body());
      }
      Map<String, String> headers = new TreeMap<>();
      response
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (!TRANSPORT.contains(name.toLowerCase(Locale.ROOT))) {
                  headers.put(name.toLowerCase(Locale.ROOT), values.getFirst());
                }
              });
      return new HttpAnswer(headers, response.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
