package io.convoke.simulator.room;

import io.convoke.simulator.http.EventStreamHandler;
import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.ServerSentEvents;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.state.RoomView;
import io.convoke.simulator.state.SimulationEvent;
import io.convoke.simulator.state.SimulationState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The event stream of one session: a snapshot, then events, until the session ends or the reader
 * disconnects. Reopened with {@code Last-Event-ID}, it also sends the lines spoken since then.
 */
final class RoomStream implements EventStreamHandler {

  /** How often an idle stream is tried, which bounds how late a vanished reader is noticed. */
  private static final Duration BEAT = Duration.ofSeconds(1);

  private final SimulationState simulationState;
  private final RoomFeeds roomFeeds;
  private final VanishedBotDetector vanishedBotDetector;

  RoomStream(
      SimulationState simulationState,
      RoomFeeds roomFeeds,
      VanishedBotDetector vanishedBotDetector) {
    this.simulationState = simulationState;
    this.roomFeeds = roomFeeds;
    this.vanishedBotDetector = vanishedBotDetector;
  }

  @Override
  public Optional<SimResponse> refuse(SimRequest simRequest) {
    String sessionId = simRequest.query("session_id").orElse("");
    Optional<RoomView> view = simulationState.roomViews(simRequest.path("name"));
    if (view.isEmpty()) {
      return Optional.of(JoinRefusals.noRoom(simRequest.path("name")));
    }
    return view.get().has(sessionId) || view.get().waiting().contains(sessionId)
        ? Optional.empty()
        : Optional.of(JoinRefusals.noSession());
  }

  @Override
  public void serve(SimRequest simRequest, ServerSentEvents stream)
      throws IOException, InterruptedException {
    String room = simRequest.path("name");
    String sessionId = simRequest.query("session_id").orElseThrow();
    RoomFeed roomFeed = roomFeeds.of(room);
    RoomStreamQueue roomStreamQueue = new RoomStreamQueue();
    vanishedBotDetector.opened(sessionId);
    boolean over = false;
    try {
      Optional<Long> resumed =
          simRequest
              .header("Last-Event-ID")
              .filter(id -> id.matches("\\d{1,18}"))
              .map(Long::valueOf);
      boolean in = start(room, sessionId, roomFeed, roomStreamQueue, resumed, stream);
      while (!over && !roomStreamQueue.closed()) {
        Optional<RoomFeed.RoomFeedEntry> entry = roomStreamQueue.next(BEAT);
        if (entry.isEmpty()) {
          stream.beat();
        } else if (in) {
          over = tell(entry.get(), sessionId, stream);
        } else if (entry.get().event() instanceof SimulationEvent.LobbyLeft verdict
            && verdict.sessionId().equals(sessionId)) {
          stream.send(
              entry.get().seq(),
              verdict.admitted() ? "admitted" : "denied",
              JsonObjectBuilder.of("session_id", sessionId)
                  .put("at", SimJson.time(verdict.at()))
                  .map());
          over = !verdict.admitted();
          in =
              verdict.admitted()
                  && start(room, sessionId, roomFeed, roomStreamQueue, Optional.empty(), stream);
        }
      }
    } finally {
      roomFeed.unsubscribe(roomStreamQueue);
      if (!over) {
        vanishedBotDetector.broke(room, sessionId);
      }
    }
  }

  /**
   * Sends the snapshot and subscribes from exactly there; returns whether the session is admitted.
   */
  private boolean start(
      String room,
      String sessionId,
      RoomFeed roomFeed,
      RoomStreamQueue roomStreamQueue,
      Optional<Long> resumed,
      ServerSentEvents stream)
      throws IOException {
    record StreamStart(RoomView view, long seq, List<RoomFeed.RoomFeedEntry> missed) {}
    AtomicReference<Optional<StreamStart>> start = new AtomicReference<>(Optional.empty());
    simulationState.observe(
        room,
        view -> {
          roomStreamQueue.clear();
          roomFeed.listen(roomStreamQueue);
          List<RoomFeed.RoomFeedEntry> missed =
              resumed.map(roomFeed::spokenSince).orElse(List.of());
          start.set(Optional.of(new StreamStart(view, roomFeed.seq(), missed)));
        });
    if (start.get().isEmpty()) {
      roomStreamQueue.close();
      return false;
    }
    StreamStart from = start.get().get();
    Map<String, Object> snapshot = RoomJson.snapshot(from.view(), sessionId);
    stream.send(resumed.orElse(from.seq()), "snapshot", snapshot);
    for (RoomFeed.RoomFeedEntry roomFeedEntry : from.missed()) {
      tell(roomFeedEntry, sessionId, stream);
    }
    boolean in = from.view().has(sessionId);
    if (!in && !from.view().waiting().contains(sessionId)) {
      roomStreamQueue.close();
    }
    return in;
  }

  /** Passes an event on; true if it was the end of this session. */
  private static boolean tell(
      RoomFeed.RoomFeedEntry roomFeedEntry, String sessionId, ServerSentEvents stream)
      throws IOException {
    Optional<RoomJson.RoomMessage> message = RoomJson.message(roomFeedEntry.event(), sessionId);
    if (message.isPresent()) {
      stream.send(roomFeedEntry.seq(), message.get().name(), message.get().data());
    }
    return roomFeedEntry.event() instanceof SimulationEvent.ParticipantLeft participantLeft
        && participantLeft.session().sessionId().equals(sessionId);
  }
}
