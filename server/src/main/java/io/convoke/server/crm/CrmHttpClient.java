package io.convoke.server.crm;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.engine.json.Json;
import io.convoke.server.crm.CrmConnector.CrmPushResult;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** One bounded request to a CRM and what its status means. */
final class CrmHttpClient implements AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
  private static final int ANSWER_BYTES_MAX = 1024 * 1024;
  private static final int SAID_MAX = 300;

  private final HttpClient client = HttpClientFactory.create(CONNECT_MAX);

  /** The result of a lookup. */
  sealed interface CrmLookupResult {
    record CrmObjectFound(JsonNode body) implements CrmLookupResult {}

    record CrmObjectMissing() implements CrmLookupResult {}

    /** The check is not permitted. */
    record CrmLookupRefused() implements CrmLookupResult {}
  }

  /** {@code id} reads the CRM's own id out of its answer. */
  CrmPushResult post(
      URI url, byte[] body, Map<String, String> headers, Function<JsonNode, String> id)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url)
            .timeout(ANSWER_MAX)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    HttpResponse<byte[]> response = send(request.build());
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      return new CrmPushResult.CrmPushAccepted(id.apply(json(response.body())));
    }
    String said = "the CRM answered " + status + " " + said(response.body());
    if (final4xx(status) && !keyRefused(status)) {
      return new CrmPushResult.CrmPushRefused(said);
    }
    throw new IOException(said);
  }

  /** A lookup; the result is unknown when the CRM does not permit it. */
  CrmLookupResult get(URI url, Map<String, String> headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url).timeout(ANSWER_MAX).header("Accept", "application/json").GET();
    headers.forEach(request::header);
    HttpResponse<byte[]> response = send(request.build());
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      return new CrmLookupResult.CrmObjectFound(json(response.body()));
    }
    if (status == 404) {
      return new CrmLookupResult.CrmObjectMissing();
    }
    if (final4xx(status)) {
      return new CrmLookupResult.CrmLookupRefused();
    }
    throw new IOException("the CRM answered " + status + " " + said(response.body()));
  }

  private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(
        request,
        HttpResponse.BodyHandlers.limiting(
            HttpResponse.BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX));
  }

  /** Statuses for which a retry cannot succeed. */
  private static boolean final4xx(int status) {
    return status >= 400 && status < 500 && status != 408 && status != 429;
  }

  /** An operator can correct a key without a change to the note. */
  private static boolean keyRefused(int status) {
    return status == 401 || status == 403;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  private static JsonNode json(byte[] body) {
    try {
      return Json.mapper().readTree(body);
    } catch (JacksonException notJson) {
      return MissingNode.getInstance();
    }
  }

  private static String said(byte[] body) {
    String message = json(body).path("message").asString("");
    String text = message.isEmpty() ? new String(body, StandardCharsets.UTF_8) : message;
    String line = text.replace("\0", "").strip().replaceAll("\\s+", " ");
    return line.substring(0, Math.min(line.length(), SAID_MAX));
  }
}
