package io.convoke.agent.snapshot;

import io.convoke.agent.pod.Assignment;
import io.convoke.agent.pod.TaskHandler;
import io.convoke.agent.pod.UsageFault;
import io.convoke.agent.room.RoomEvent;
import io.convoke.engine.dispatch.Handler.Outcome;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task {@code snapshot}: pictures of the meeting in the room that the channel names, one at
 * once and one at each interval, until it is stopped or the meeting ends. The n-th picture of an
 * attempt is {@code snapshots/TASK/TASK-ATTEMPT-n.png}, so no attempt writes over another's.
 */
public final class SnapshotHandler implements TaskHandler {
  private static final Logger log = LoggerFactory.getLogger(SnapshotHandler.class);

  private final SnapshotTerms terms;
  private final Pictures pictures;
  private final HttpClient http;
  private final Door door;

  SnapshotHandler(SnapshotTerms terms, Pictures pictures) {
    this.terms = terms;
    this.pictures = pictures;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(3))
            .build();
    this.door = new Door(http, terms);
  }

  /**
   * With {@code CONVOKE_SNAPSHOT_ROOMS_URL} and the server's blob store, as an environment has
   * them.
   *
   * @throws UsageFault if they are invalid, with a message for the operator
   */
  public static SnapshotHandler of(Map<String, String> environment) {
    return new SnapshotHandler(SnapshotTerms.read(environment), PictureStore.open(environment));
  }

  @Override
  public Outcome run(Assignment task) throws InterruptedException {
    return switch (SnapshotOrder.read(task.payload())) {
      case SnapshotOrder.Reading.Refused(String reason) -> new Outcome.Failed(reason);
      case SnapshotOrder.Reading.Fine(SnapshotOrder order) ->
          switch (door.enter(task, order)) {
            case Door.Entry.Out(Outcome outcome) -> outcome;
            case Door.Entry.In(Visit visit) -> {
              try (visit) {
                yield stay(task, order, visit);
              }
            }
          };
    };
  }

  private Outcome stay(Assignment task, SnapshotOrder order, Visit visit)
      throws InterruptedException {
    task.onStop(visit::wake);
    Stage stage = new Stage(visit.sessionId(), System.nanoTime());
    Shutter shutter = new Shutter(order.interval());
    while (!task.stopping()) {
      long now = System.nanoTime();
      if (stage.open() && shutter.due(now)) {
        Optional<Outcome> failure = take(task, shutter.next(now), stage, order);
        if (failure.isPresent()) {
          return failure.get();
        }
      }
      Optional<Duration> patience = stage.patience(terms.nobodyCame(), terms.everybodyLeft(), now);
      if (patience.isPresent() && !patience.get().isPositive()) {
        return stage.open()
            ? new Outcome.Done()
            : new Outcome.Failed("nobody let us into the room");
      }
      Optional<RoomEvent> event = visit.next(sooner(shutter.pause(now), patience));
      if (event.isPresent()) {
        Optional<Outcome> end = end(event.get());
        if (end.isPresent()) {
          return end.get();
        }
        stage.see(event.get(), System.nanoTime());
      }
    }
    return new Outcome.Done();
  }

  private static Duration sooner(Duration one, Optional<Duration> other) {
    return other.filter(span -> span.compareTo(one) < 0).orElse(one);
  }

  private Optional<Outcome> take(Assignment task, int number, Stage stage, SnapshotOrder order) {
    byte[] picture =
        Painter.png(
            stage.tiles(order.layout(), order.userIds(), System.nanoTime()), order.layout());
    if (task.stopping()) {
      return Optional.empty();
    }
    try {
      pictures.keep(name(task, number), picture);
      log.debug("task {} has taken picture {}", task.id(), number);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(new Outcome.Failed("a picture cannot be kept: " + e.getMessage()));
    }
  }

  static String name(Assignment task, int number) {
    return "snapshots/%s/%s-%d-%06d.png".formatted(task.id(), task.id(), task.attempt(), number);
  }

  /** How the task ends with this event, if it does. */
  private static Optional<Outcome> end(RoomEvent event) {
    return switch (event.name()) {
      case "meeting-ended", "left" -> Optional.of(new Outcome.Done());
      case "denied" -> Optional.of(new Outcome.Failed("the room did not let us in"));
      case "ejected" -> Optional.of(new Outcome.Failed("we were put out of the room"));
      case "disconnected", RoomEvent.SESSION_GONE ->
          Optional.of(new Outcome.TryAgain("the room lost our connection"));
      case RoomEvent.PLATFORM_GONE ->
          Optional.of(new Outcome.TryAgain("the platform is out of reach"));
      default -> Optional.empty();
    };
  }
}
