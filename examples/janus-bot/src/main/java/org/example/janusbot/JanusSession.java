package org.example.janusbot;

import io.convoke.agent.meeting.MeetingAudio;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A session at a Janus behind a Convoke server: over {@code /join/janus}, with the token of a link.
 */
final class JanusSession implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration ANSWER_MAX = Duration.ofSeconds(20);
  private static final Duration POLL_MAX = Duration.ofSeconds(45);

  /** With a second after each, almost the minute for which Janus keeps a session. */
  private static final int FAILURES_MAX = 50;

  /** A session ends without requests, and one that waits for events is none. */
  private static final Duration BEAT = Duration.ofSeconds(5);

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final URI server;
  private final String token;
  private final Map<String, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final Map<Long, Consumer<JsonNode>> handles = new ConcurrentHashMap<>();
  private final ScheduledExecutorService beats =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("janus-beat").factory());
  private volatile long session;
  private volatile boolean closed;

  /**
   * A session that is not open yet.
   *
   * @param link as {@code POST /rooms} returned it
   */
  JanusSession(URI link) {
    this.server = link.resolve("/");
    this.token = link.getFragment() == null ? "" : link.getFragment();
  }

  /** Opens it; {@code over} runs once if Janus or the server ends it. */
  void open(Runnable over) throws Exception {
    session = post("", Map.of("janus", "create")).path("data").path("id").asLong();
    Thread _ = Thread.ofVirtual().name("janus-events").start(() -> poll(over));
    var _ =
        beats.scheduleAtFixedRate(
            this::beat, BEAT.toMillis(), BEAT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether it was not closed. */
  boolean isOpen() {
    return !closed;
  }

  /** Makes a handle; {@code events} gets what answers no request, and must not wait. */
  long attach(Consumer<JsonNode> events) throws Exception {
    JsonNode made = post("/" + session, Map.of("janus", "attach"));
    long handle = made.path("data").path("id").asLong();
    handles.put(handle, events);
    return handle;
  }

  /** Ends a handle and its media, and nothing is told of it any more. */
  void detach(long handle) {
    Consumer<JsonNode> _ = handles.remove(handle);
    if (closed) {
      return;
    }
    try {
      JsonNode _ = post("/" + session + "/" + handle, Map.of("janus", "detach"));
    } catch (Exception gone) {
      // It ends with the session.
    }
  }

  /** Sends a request to the plugin and waits for its event. */
  JsonNode ask(long handle, Map<String, ?> body, Map<String, ?> jsep) throws Exception {
    String transaction = UUID.randomUUID().toString();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(transaction, answer);
    Map<String, Object> message = new HashMap<>();
    message.put("janus", "message");
    message.put("transaction", transaction);
    message.put("body", body);
    if (!jsep.isEmpty()) {
      message.put("jsep", jsep);
    }
    JsonNode event;
    try {
      JsonNode _ = post("/" + session + "/" + handle, message);
      event = answer.get(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS);
    } finally {
      CompletableFuture<JsonNode> _ = waiting.remove(transaction);
    }
    JsonNode data = event.path("plugindata").path("data");
    if (data.has("error_code")) {
      throw new MeetingAudio.JoinRefused(data.path("error").asString());
    }
    return event;
  }

  @Override
  public void close() {
    closed = true;
    beats.shutdownNow();
    try {
      if (session != 0) {
        JsonNode _ = post("/" + session, Map.of("janus", "destroy"));
      }
    } catch (Exception gone) {
      // Janus ends a session without requests by itself.
    }
    waiting.values().forEach(asker -> asker.completeExceptionally(new IOException("closed")));
    http.shutdownNow();
  }

  private void beat() {
    try {
      JsonNode _ = post("/" + session, Map.of("janus", "keepalive"));
    } catch (Exception failed) {
      // The wait for events tells when the session is gone.
    }
  }

  /** Waits for events until the session ends. */
  private void poll(Runnable over) {
    int failures = 0;
    try {
      while (!closed && failures <= FAILURES_MAX) {
        try {
          if (sessionOver()) {
            break;
          }
          failures = 0;
        } catch (IOException | JacksonException failed) {
          failures++;
          TimeUnit.SECONDS.sleep(1);
        }
      }
      if (!closed) {
        over.run();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits once for events; true if there will be no more. */
  private boolean sessionOver() throws IOException, InterruptedException {
    HttpResponse<byte[]> response = send(request("/" + session).timeout(POLL_MAX).GET().build());
    if (response.statusCode() != 200) {
      throw new IOException("the server answered " + response.statusCode());
    }
    JsonNode answer = JSON.readTree(response.body());
    if (answer.path("janus").asString("").equals("error")) {
      return true;
    }
    for (JsonNode event : answer) {
      if (closed || event.path("janus").asString("").equals("timeout")) {
        return true;
      }
      CompletableFuture<JsonNode> asker = waiting.remove(event.path("transaction").asString(""));
      if (asker != null) {
        asker.complete(event);
        continue;
      }
      Consumer<JsonNode> handle = handles.get(event.path("sender").asLong());
      if (handle != null) {
        handle.accept(event);
      }
    }
    return false;
  }

  private JsonNode post(String path, Map<String, ?> fields) throws Exception {
    ObjectNode message = JSON.valueToTree(fields);
    if (!message.has("transaction")) {
      message.put("transaction", UUID.randomUUID().toString());
    }
    HttpResponse<byte[]> response =
        send(
            request(path)
                .timeout(ANSWER_MAX)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(message)))
                .build());
    switch (response.statusCode()) {
      case 200 -> {
        JsonNode answer = JSON.readTree(response.body());
        if (answer.path("janus").asString("").equals("error")) {
          throw new IOException(answer.path("error").path("reason").asString());
        }
        return answer;
      }
      case 401, 403 -> throw new MeetingAudio.JoinRefused("the link is not valid");
      default -> throw new IOException("the server answered " + response.statusCode());
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve("/join/janus" + path))
        .header("X-Join-Token", token);
  }

  private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }
}
