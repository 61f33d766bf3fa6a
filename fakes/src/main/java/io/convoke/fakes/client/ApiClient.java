package io.convoke.fakes.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** Calls one server as one caller. */
public final class ApiClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final JsonMapper MAPPER = JsonMapper.shared();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();

  private final URI base;
  private final String header;
  private final String key;
  private final Duration timeout;

  private ApiClient(URI base, String header, String key, Duration timeout) {
    this.base = base;
    this.header = header;
    this.key = key;
    this.timeout = timeout;
  }

  /** As the admin. */
  public static ApiClient admin(URI base, String token) {
    return new ApiClient(base, "X-Admin-API-Key", token, TIMEOUT);
  }

  /** As a program of the installation, with its internal token. */
  public static ApiClient internal(URI base, String token) {
    return new ApiClient(base, "Authorization", "Bearer " + token, TIMEOUT);
  }

  /** As a new user, made by the admin who calls this; {@code limit} of bots is the default. */
  public ApiClient newUser(String email) {
    return newUser(Map.of("email", email)).api();
  }

  /** As a new user with this limit of bots. */
  public CreatedUser newUser(String email, int maxBots) {
    return newUser(Map.of("email", email, "max_concurrent_bots", maxBots));
  }

  /** A user who has just been made. */
  public record CreatedUser(long id, ApiClient api) {}

  private CreatedUser newUser(Map<String, ?> fields) {
    long id = post("/admin/users", fields).orFail("creating a user").body().path("id").asLong();
    String token =
        post("/admin/users/" + id + "/tokens", Map.of("name", "lab"))
            .orFail("creating a key")
            .body()
            .path("token")
            .asString();
    return new CreatedUser(id, new ApiClient(base, "X-API-Key", token, timeout));
  }

  /** As the user with this API key. */
  public static ApiClient user(URI base, String key) {
    return new ApiClient(base, "X-API-Key", key, TIMEOUT);
  }

  /** The same caller at another server. */
  public ApiClient at(URI other) {
    return new ApiClient(other, header, key, timeout);
  }

  /** The same caller with another timeout for each request; the default is 5 s. */
  public ApiClient withTimeout(Duration other) {
    return new ApiClient(base, header, key, other);
  }

  /** Tracks the meeting of a Daily room; answers its id. */
  public long track(String room) {
    return track("daily", room);
  }

  public long track(String platform, String room) {
    return post("/meetings", Map.of("platform", platform, "native_meeting_id", room))
        .orFail("tracking " + room)
        .body()
        .path("id")
        .asLong();
  }

  public ApiReply get(String path) {
    return send(request(path).GET().build());
  }

  /** The items of a list, read in pages of this size. */
  public List<JsonNode> items(String path, int limit) {
    List<JsonNode> items = new ArrayList<>();
    String first = path + (path.contains("?") ? "&" : "?") + "limit=" + limit;
    String cursor = "";
    do {
      JsonNode page = get(first + cursor).body();
      page.path("items").forEach(items::add);
      String next = page.path("next_cursor").asString("");
      cursor = next.isEmpty() ? "" : "&cursor=" + next;
    } while (!cursor.isEmpty());
    return items;
  }

  /** The bytes of an answer 200 or 206; none otherwise. {@code range} as of the header Range. */
  public byte[] bytes(String path, Optional<String> range) {
    HttpRequest.Builder asked = request(path).GET();
    range.ifPresent(part -> asked.header("Range", part));
    try {
      HttpResponse<byte[]> response = CLIENT.send(asked.build(), BodyHandlers.ofByteArray());
      boolean right = response.statusCode() == (range.isPresent() ? 206 : 200);
      return right ? response.body() : new byte[0];
    } catch (IOException unanswered) {
      return new byte[0];
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new byte[0];
    }
  }

  public ApiReply delete(String path) {
    return send(request(path).DELETE().build());
  }

  public ApiReply post(String path, Map<String, ?> body) {
    return send("POST", path, body);
  }

  /** A post whose repetitions with this key get the first answer. */
  public ApiReply post(String path, Map<String, ?> body, String idempotencyKey) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", idempotencyKey)
            .POST(BodyPublishers.ofByteArray(MAPPER.writeValueAsBytes(body)))
            .build());
  }

  public ApiReply put(String path, Map<String, ?> body) {
    return send("PUT", path, body);
  }

  public ApiReply patch(String path, Map<String, ?> body) {
    return send("PATCH", path, body);
  }

  private ApiReply send(String method, String path, Map<String, ?> body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofByteArray(MAPPER.writeValueAsBytes(body)))
            .build());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(base.resolve(path)).timeout(timeout).header(header, key);
  }

  HttpClient client() {
    return CLIENT;
  }

  static JsonNode parse(String text) {
    try {
      return text.isBlank() ? MissingNode.getInstance() : MAPPER.readTree(text);
    } catch (JacksonException notJson) {
      return MissingNode.getInstance();
    }
  }

  private ApiReply send(HttpRequest request) {
    try {
      HttpResponse<byte[]> response = CLIENT.send(request, BodyHandlers.ofByteArray());
      return new ApiReply(
          response.statusCode(), parse(new String(response.body(), StandardCharsets.UTF_8)));
    } catch (IOException unanswered) {
      return new ApiReply(0, MissingNode.getInstance());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new ApiReply(0, MissingNode.getInstance());
    }
  }
}
