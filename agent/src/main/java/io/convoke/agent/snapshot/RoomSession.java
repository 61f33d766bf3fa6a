package io.convoke.agent.snapshot;

import io.convoke.agent.http.WholeAnswer;
import io.convoke.agent.room.RoomEvent;
import io.convoke.agent.room.RoomFeed;
import io.convoke.agent.room.RoomUrlCheck;
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

/** A hidden guest's session in a room; closing it leaves the room. */
final class RoomSession implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RoomSession.class);
  private static final Duration GOODBYE_MAX = Duration.ofSeconds(2);

  private final HttpClient http;
  private final String sessionId;
  private final URI leave;
  private final RoomFeed feed;

  private RoomSession(HttpClient http, String sessionId, URI leave, URI events, Duration patience) {
    this.http = http;
    this.sessionId = sessionId;
    this.leave = leave;
    this.feed = new RoomFeed(http, events, patience);
  }

  /** The session of a room's reply; empty if its URLs are on another host. */
  static Optional<RoomSession> begin(
      HttpClient http, URI asked, JsonNode entry, Duration patience) {
    String session = entry.path("session_id").asString("");
    return RoomUrlCheck.of(asked, entry, "leave_url")
        .flatMap(
            leave ->
                RoomUrlCheck.of(asked, entry, "events_url")
                    .map(events -> new RoomSession(http, session, leave, events, patience)));
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
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofByteArray(Json.bytes(Map.of("session_id", sessionId))))
            .build();
    boolean interrupted = Thread.interrupted();
    try {
      HttpResponse<Void> _ =
          WholeAnswer.of(http, goodbye, HttpResponse.BodyHandlers.discarding(), GOODBYE_MAX);
    } catch (IOException e) {
      log.debug("leaving the room failed; the session will time out there");
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
