package io.convoke.server.launch;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * The HTTP client for a platform that runs bots. A request without a whole answer within its time
 * throws {@link LauncherUnavailable}; callers interpret answers.
 */
public final class OrchestratorClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  private final String name;
  private final URI base;
  private final Supplier<Map<String, String>> headers;
  private final HttpClient client;

  /**
   * Connects on the first request.
   *
   * @param name of the platform, for messages
   * @param headers for each request, read each time because tokens are renewed
   */
  public OrchestratorClient(
      String name, URI base, Supplier<Map<String, String>> headers, Optional<SSLContext> trust) {
    this.name = name;
    this.base = base;
    this.headers = headers;
    HttpClient.Builder builder = HttpClientFactory.builder(CONNECT_TIMEOUT);
    trust.ifPresent(builder::sslContext);
    this.client = builder.build();
  }

  /** A response; {@code json} is missing if the body is not JSON. */
  public record OrchestratorResponse(int status, HttpHeaders headers, String text) {
    /** The body as JSON, or a missing node. */
    public JsonNode json() {
      try {
        return Json.read(text);
      } catch (JacksonException e) {
        return MissingNode.getInstance();
      }
    }

    public boolean ok() {
      return status >= 200 && status < 300;
    }
  }

  /** A part of a path or a query, escaped. */
  public static String escaped(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** A query string of these parameters, with its question mark. */
  public static String query(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .map(entry -> escaped(entry.getKey()) + "=" + escaped(entry.getValue()))
        .sorted()
        .collect(Collectors.joining("&", parameters.isEmpty() ? "" : "?", ""));
  }

  /** Makes a call without a body. */
  public OrchestratorResponse call(String method, String pathAndQuery, Duration timeout) {
    return send(request(method, pathAndQuery, HttpRequest.BodyPublishers.noBody()), timeout);
  }

  /** Makes a call with a JSON body; the body may hold secrets and is never in a message. */
  public OrchestratorResponse call(
      String method, String pathAndQuery, Object body, Duration timeout) {
    return send(
        request(method, pathAndQuery, HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
            .header("Content-Type", "application/json"),
        timeout);
  }

  /** Opens a stream; the caller reads and closes it. Status 200 only. */
  public InputStream stream(String pathAndQuery, Duration untilOpen) {
    HttpRequest request = request("GET", pathAndQuery, HttpRequest.BodyPublishers.noBody()).build();
    HttpResponse<InputStream> response =
        exchange(() -> WholeAnswer.begun(client, request, untilOpen));
    if (response.statusCode() != 200) {
      try (InputStream _ = response.body()) {
        throw new LauncherUnavailable(name + " refuses a stream: " + response.statusCode());
      } catch (IOException e) {
        throw new LauncherUnavailable(name + " refuses a stream", e);
      }
    }
    return response.body();
  }

  /** The exception for an answer that leaves the outcome unknown. */
  public LauncherUnavailable odd(OrchestratorResponse orchestratorResponse) {
    return new LauncherUnavailable(
        name
            + " answered "
            + orchestratorResponse.status()
            + ": "
            + shortened(orchestratorResponse.text()));
  }

  /** The beginning of a message of the platform's. */
  public static String shortened(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.substring(0, Math.min(line.length(), 300));
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  private OrchestratorResponse send(HttpRequest.Builder request, Duration timeout) {
    HttpResponse<String> response =
        exchange(
            () ->
                WholeAnswer.of(
                    client,
                    request.build(),
                    HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8),
                    timeout));
    return new OrchestratorResponse(response.statusCode(), response.headers(), response.body());
  }

  /** Sends a request and waits for its response. */
  private interface OrchestratorCall<T> {
    HttpResponse<T> response() throws IOException, InterruptedException;
  }

  private <T> HttpResponse<T> exchange(OrchestratorCall<T> orchestratorCall) {
    try {
      return orchestratorCall.response();
    } catch (IOException e) {
      throw new LauncherUnavailable(
          name + " at " + base.getAuthority() + " cannot be reached: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LauncherUnavailable("interrupted", e);
    }
  }

  private HttpRequest.Builder request(
      String method, String pathAndQuery, HttpRequest.BodyPublisher body) {
    String root = base.toString();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(
                    (root.endsWith("/") ? root.substring(0, root.length() - 1) : root)
                        + pathAndQuery))
            .method(method, body)
            .header("Accept", "application/json");
    headers.get().forEach(request::header);
    return request;
  }
}
