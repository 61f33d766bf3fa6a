package io.convoke.agent.snapshot;

import io.convoke.agent.room.RoomEvent;
import io.convoke.agent.room.RoomFeed;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Our stay in a room, as a guest whom nobody sees; closing it leaves the room. */
final class Visit implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Visit.class);
  private static final Duration GOODBYE_MAX = Duration.ofSeconds(2);

  private final HttpClient http;
  private final String sessionId;
  private final URI leave;
  private final RoomFeed feed;

  Visit(HttpClient http, JsonNode entry, Duration patience) {
    this.http = http;
    this.sessionId = entry.path("session_id").asString("");
    this.leave = URI.create(entry.path("leave_url").asString(""));
    this.feed = new RoomFeed(http, URI.create(entry.path("events_url").asString("")), patience);
  }

  String sessionId() {
    return sessionId;
  }

  /** The next event, or nothing within the given time. */
  Optional<RoomEvent> next(Duration atMost) throws InterruptedException {
    return feed.next(atMost);
  }

  /** Ends a wait for the next event. */
  void wake() {
    feed.wake();
  }

  @Override
  public void close() {
    feed.close();
    HttpRequest goodbye =
        HttpRequest.newBuilder(leave)
            .timeout(GOODBYE_MAX)
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofByteArray(Json.bytes(Map.of("session_id", sessionId))))
            .build();
    boolean interrupted = Thread.interrupted();
    try {
      HttpResponse<Void> _ = http.send(goodbye, HttpResponse.BodyHandlers.discarding());
    } catch (IOException e) {
      log.debug("the room does not hear that we leave; it will notice");
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
