package io.convoke.server.transcribe;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** One WebSocket whose messages are JSON texts, read one after another by a single thread. */
final class JsonWebSocket implements WebSocket.Listener, AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
  private static final int MESSAGE_MAX = 4 * 1024 * 1024;

  private final HttpClient client;
  private final BlockingQueue<WebSocketEvent> events = new LinkedBlockingQueue<>();
  private final StringBuilder text = new StringBuilder();
  private @Nullable WebSocket socket;

  /** A message from the server. */
  sealed interface WebSocketEvent {
    record WebSocketMessage(JsonNode json) implements WebSocketEvent {}

    /** The server has closed its side. */
    record WebSocketClosed(String why) implements WebSocketEvent {}
  }

  private JsonWebSocket(HttpClient client) {
    this.client = client;
  }

  static JsonWebSocket open(URI url) throws IOException, InterruptedException {
    HttpClient client = HttpClientFactory.create(CONNECT_MAX);
    JsonWebSocket connection = new JsonWebSocket(client);
    boolean opened = false;
    try {
      connection.socket =
          within(
              client.newWebSocketBuilder().connectTimeout(CONNECT_MAX).buildAsync(url, connection),
              CONNECT_MAX);
      opened = true;
      return connection;
    } finally {
      if (!opened) {
        client.shutdownNow();
      }
    }
  }

  void send(Object json) throws IOException, InterruptedException {
    WebSocket _ = within(socket().sendText(Json.write(json), true), CONNECT_MAX);
  }

  /** Sends bytes and waits until they are written. */
  void send(ByteBuffer bytes, Duration atMost) throws IOException, InterruptedException {
    WebSocket _ = within(socket().sendBinary(bytes, true), atMost);
  }

  /** The next message, within a timeout. */
  Optional<WebSocketEvent> next(Duration atMost) throws InterruptedException {
    return Optional.ofNullable(events.poll(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS));
  }

  @Override
  public void close() {
    socket().abort();
    client.shutdownNow();
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
    text.append(part);
    if (text.length() > MESSAGE_MAX) {
      events.add(new WebSocketEvent.WebSocketClosed("it sent a message without end"));
      from.abort();
    } else if (last) {
      String whole = text.toString();
      text.setLength(0);
      try {
        events.add(new WebSocketEvent.WebSocketMessage(Json.read(whole)));
      } catch (JacksonException notJson) {
        events.add(new WebSocketEvent.WebSocketClosed("it sent something that is not JSON"));
      }
    }
    from.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    events.add(new WebSocketEvent.WebSocketClosed("it closed with " + code));
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    events.add(new WebSocketEvent.WebSocketClosed("the connection broke"));
  }

  private WebSocket socket() {
    WebSocket open = socket;
    if (open == null) {
      throw new IllegalStateException("not open");
    }
    return open;
  }

  private static <T> T within(CompletableFuture<T> future, Duration atMost)
      throws IOException, InterruptedException {
    try {
      return future.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException("WhisperLive cannot be reached", e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("WhisperLive takes nothing", e);
    }
  }
}
