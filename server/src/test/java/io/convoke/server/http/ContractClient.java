package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A caller that holds each answer against {@code /openapi.yaml} of the server that it calls: the
 * status must be documented, the body must have the documented type and schema and nothing beyond
 * it, and the headers of its status must be there. Use it for every request of a test, so that each
 * test is a contract test as well.
 *
 * {@snippet :
 * ContractClient ann = ContractClient.of(server.url()).with("X-API-Key", token);
 * var meeting = ann.post("/bots/start", Map.of("platform", "daily", "native_meeting_id", "standup")).expect(201).json();
 * ann.get("/meetings/999").expect(404);
 * }
 */
public final class ContractClient {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final HttpClient http;
  private final String url;
  private final OpenApiDocument openApiDocument;
  private final Map<String, String> headers;

  private ContractClient(
      HttpClient http, String url, OpenApiDocument openApiDocument, Map<String, String> headers) {
    this.http = http;
    this.url = url;
    this.openApiDocument = openApiDocument;
    this.headers = headers;
  }

  /** A caller without credentials. */
  public static ContractClient of(String url) {
    HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    HttpRequest ask = HttpRequest.newBuilder(URI.create(url + "/openapi.yaml")).build();
    String yaml = send(http, ask, BodyHandlers.ofString()).body();
    return new ContractClient(http, url, OpenApiDocument.read(yaml), Map.of());
  }

  /** The same caller with one more header, for example its credentials. */
  public ContractClient with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new ContractClient(http, url, openApiDocument, more);
  }

  /** Asserts that the document is valid OpenAPI 3.1, by a parser that is not ours. */
  public void expectValidDocument() {
    String yaml = get("/openapi.yaml").expect(200).body();
    ParseOptions options = new ParseOptions();
    options.setResolve(true);
    SwaggerParseResult parsed = new OpenAPIV3Parser().readContents(yaml, null, options);
    assertThat(parsed.getMessages()).isEmpty();
    assertThat(parsed.getOpenAPI().getOpenapi()).startsWith("3.1");
  }

  /** Asserts that each example in the document fits the schema beside it. */
  public void expectValidExamples() {
    openApiDocument.checkExamples();
  }

  /** The address of the server. */
  public String url() {
    return url;
  }

  public Answered get(String path) {
    return call("GET", path, BodyPublishers.noBody(), null);
  }

  public Answered delete(String path) {
    return call("DELETE", path, BodyPublishers.noBody(), null);
  }

  /** Posts a record, map or tree as JSON. */
  public Answered post(String path, Object body) {
    return json("POST", path, Json.write(body));
  }

  /** Posts nothing. */
  public Answered post(String path) {
    return call("POST", path, BodyPublishers.noBody(), null);
  }

  public Answered put(String path, Object body) {
    return json("PUT", path, Json.write(body));
  }

  public Answered patch(String path, Object body) {
    return json("PATCH", path, Json.write(body));
  }

  /** Sends text as a JSON body, whether it is one or not. */
  public Answered json(String method, String path, String body) {
    return call(method, path, BodyPublishers.ofString(body), "application/json");
  }

  /** Sends anything. */
  public Answered call(
      String method, String path, BodyPublisher body, @Nullable String contentType) {
    HttpRequest.Builder request = request(path).method(method, body);
    if (contentType != null) {
      request.header("Content-Type", contentType);
    }
    HttpResponse<byte[]> response = send(http, request.build(), BodyHandlers.ofByteArray());
    Answered answered =
        new Answered(
            response.statusCode(),
            response.headers(),
            new String(response.body(), StandardCharsets.UTF_8));
    openApiDocument.check(method, URI.create(url + path).getPath(), answered);
    return answered;
  }

  /** Opens an event stream. */
  public EventReader events(String path) {
    HttpRequest request =
        HttpRequest.newBuilder(request(path).build(), (_, _) -> true)
            .header("Accept", "text/event-stream")
            .build();
    HttpResponse<Stream<String>> response = send(http, request, BodyHandlers.ofLines());
    assertThat(response.statusCode()).as("status of the stream " + path).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    return new EventReader(response.body());
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).timeout(PATIENCE);
    headers.forEach(request::header);
    return request;
  }

  private static <T> HttpResponse<T> send(
      HttpClient http, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    try {
      return http.send(request, handler);
    } catch (IOException e) {
      throw new UncheckedIOException(request.method() + " " + request.uri(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** An answer that keeps the contract. */
  public record Answered(int status, HttpHeaders headers, String body) {
    /** Asserts the status. */
    public Answered expect(int expected) {
      assertThat(status).as(body).isEqualTo(expected);
      return this;
    }

    /** Asserts the status of a problem and its code. */
    public Answered expect(int expected, String code) {
      assertThat(expect(expected).code()).as(body).isEqualTo(code);
      return this;
    }

    public JsonNode json() {
      return Json.read(body);
    }

    /** The code of a problem. */
    public String code() {
      return json().path("code").asString();
    }

    /** One header, empty text without it. */
    public String header(String name) {
      return headers.firstValue(name).orElse("");
    }
  }
}
