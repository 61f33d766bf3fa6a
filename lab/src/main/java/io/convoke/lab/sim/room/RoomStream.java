package io.convoke.lab.sim.room;

import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.EventStream;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.StreamHandler;
import io.convoke.lab.sim.world.RoomView;
import io.convoke.lab.sim.world.World;
import io.convoke.lab.sim.world.WorldEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The event stream of one session: a snapshot, then what happens, until the session is over or the
 * reader goes away. Opened again with {@code Last-Event-ID}, it also tells what was said meanwhile.
 */
final class RoomStream implements StreamHandler {

  /** How often an idle stream is tried, which bounds how late a vanished reader is noticed. */
  private static final Duration BEAT = Duration.ofSeconds(1);

  private final World world;
  private final Feeds feeds;
  private final Connections connections;

  RoomStream(World world, Feeds feeds, Connections connections) {
    this.world = world;
    this.feeds = feeds;
    this.connections = connections;
  }

  @Override
  public Optional<Answer> refuse(Call call) {
    String sessionId = call.query("session_id").orElse("");
    Optional<RoomView> view = world.look(call.path("name"));
    if (view.isEmpty()) {
      return Optional.of(Refusals.noRoom(call.path("name")));
    }
    return view.get().has(sessionId) || view.get().waiting().contains(sessionId)
        ? Optional.empty()
        : Optional.of(Refusals.noSession());
  }

  @Override
  public void serve(Call call, EventStream stream) throws IOException, InterruptedException {
    String room = call.path("name");
    String sessionId = call.query("session_id").orElseThrow();
    Feed feed = feeds.of(room);
    Listener listener = new Listener();
    connections.opened(sessionId);
    boolean over = false;
    try {
      Optional<Long> resumed =
          call.header("Last-Event-ID").filter(id -> id.matches("\\d{1,18}")).map(Long::valueOf);
      boolean in = start(room, sessionId, feed, listener, resumed, stream);
      while (!over && !listener.closed()) {
        Optional<Feed.Entry> entry = listener.next(BEAT);
        if (entry.isEmpty()) {
          stream.beat();
        } else if (in) {
          over = tell(entry.get(), sessionId, stream);
        } else if (entry.get().event() instanceof WorldEvent.Dismissed verdict
            && verdict.sessionId().equals(sessionId)) {
          stream.send(
              entry.get().seq(),
              verdict.admitted() ? "admitted" : "denied",
              Fields.of("session_id", sessionId).put("at", Json.time(verdict.at())).map());
          over = !verdict.admitted();
          in =
              verdict.admitted()
                  && start(room, sessionId, feed, listener, Optional.empty(), stream);
        }
      }
    } finally {
      feed.forget(listener);
      if (!over) {
        connections.broke(room, sessionId);
      }
    }
  }

  /**
   * Sends the snapshot and listens from exactly there; says whether the session is in the meeting.
   */
  private boolean start(
      String room,
      String sessionId,
      Feed feed,
      Listener listener,
      Optional<Long> resumed,
      EventStream stream)
      throws IOException {
    record Start(RoomView view, long seq, List<Feed.Entry> missed) {}
    AtomicReference<Optional<Start>> start = new AtomicReference<>(Optional.empty());
    world.observe(
        room,
        view -> {
          listener.clear();
          feed.listen(listener);
          List<Feed.Entry> missed = resumed.map(feed::spokenSince).orElse(List.of());
          start.set(Optional.of(new Start(view, feed.seq(), missed)));
        });
    if (start.get().isEmpty()) {
      listener.close();
      return false;
    }
    Start from = start.get().get();
    Map<String, Object> snapshot = RoomWire.snapshot(from.view(), sessionId);
    stream.send(resumed.orElse(from.seq()), "snapshot", snapshot);
    for (Feed.Entry entry : from.missed()) {
      tell(entry, sessionId, stream);
    }
    boolean in = from.view().has(sessionId);
    if (!in && !from.view().waiting().contains(sessionId)) {
      listener.close();
    }
    return in;
  }

  /** Passes an event on; true if it was the end of this session. */
  private static boolean tell(Feed.Entry entry, String sessionId, EventStream stream)
      throws IOException {
    Optional<RoomWire.Message> message = RoomWire.message(entry.event(), sessionId);
    if (message.isPresent()) {
      stream.send(entry.seq(), message.get().name(), message.get().data());
    }
    return entry.event() instanceof WorldEvent.Left left
        && left.session().sessionId().equals(sessionId);
  }
}
