package io.convoke.agent.snapshot;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.pod.TaskContext;
import io.convoke.agent.pod.TaskHandler;
import io.convoke.agent.pod.UsageException;
import io.convoke.agent.room.RoomEvent;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task {@code snapshot}: pictures of the meeting in the room that the channel names, one at
 * once and one at each interval, until it is stopped or the meeting ends. The n-th picture of an
 * attempt is {@code snapshots/TASK/TASK-ATTEMPT-n.png}, so no attempt overwrites another's; where
 * an earlier task of the same id has that name, the time follows it.
 */
public final class SnapshotHandler implements TaskHandler {
  private static final Logger log = LoggerFactory.getLogger(SnapshotHandler.class);

  private final SnapshotConfig config;
  private final SnapshotStore snapshotStore;
  private final HttpClient http;
  private final RoomJoiner roomJoiner;

  /**
   * Stores a picture, completely or not at all, under a name that is not in use, or throws a {@link
   * FileAlreadyExistsException}.
   */
  @FunctionalInterface
  interface SnapshotStore {
    void put(BlobKey name, byte[] png) throws IOException;
  }

  SnapshotHandler(SnapshotConfig config, SnapshotStore snapshotStore) {
    this.config = config;
    this.snapshotStore = snapshotStore;
    this.http = HttpClientFactory.create(Duration.ofSeconds(3));
    this.roomJoiner = new RoomJoiner(http, config);
  }

  /**
   * Reads {@code CONVOKE_SNAPSHOT_ROOMS_URL} and the settings of the server's blob store.
   *
   * @throws UsageException if they are invalid, with a message for the operator
   */
  public static SnapshotHandler of(Map<String, String> environment) {
    SnapshotConfig config = SnapshotConfig.read(environment);
    BlobStore blobs = SnapshotConfig.openBlobStore(environment);
    return new SnapshotHandler(config, (name, png) -> blobs.putNew(name, png, "image/png"));
  }

  /**
   * Opens the blob store that the server's settings name.
   *
   * @throws UsageException if they are invalid, with a message for the operator
   */
  public static BlobStore openBlobStore(Map<String, String> environment) {
    return SnapshotConfig.openBlobStore(environment);
  }

  @Override
  public AttemptOutcome run(TaskContext task) throws InterruptedException {
    return switch (SnapshotRequest.read(task.payload())) {
      case SnapshotRequest.SnapshotParseResult.InvalidSnapshotRequest(String reason) ->
          new AttemptOutcome.AttemptFailed(reason);
      case SnapshotRequest.SnapshotParseResult.ValidSnapshotRequest(SnapshotRequest order) ->
          switch (roomJoiner.enter(task, order)) {
            case RoomJoiner.JoinResult.JoinFailed(AttemptOutcome attemptOutcome) -> attemptOutcome;
            case RoomJoiner.JoinResult.JoinedRoom(RoomSession roomSession) -> {
              try (roomSession) {
                yield stay(task, order, roomSession);
              }
            }
          };
    };
  }

  private AttemptOutcome stay(TaskContext task, SnapshotRequest order, RoomSession roomSession)
      throws InterruptedException {
    task.onStop(roomSession::wake);
    RoomState roomState = new RoomState(roomSession.sessionId(), System.nanoTime());
    SnapshotSchedule snapshotSchedule = new SnapshotSchedule(order.interval());
    while (!task.stopping()) {
      long now = System.nanoTime();
      if (roomState.open() && snapshotSchedule.due(now)) {
        Optional<AttemptOutcome> failure = take(task, snapshotSchedule.next(now), roomState, order);
        if (failure.isPresent()) {
          return failure.get();
        }
      }
      Optional<Duration> patience =
          roomState.patience(config.emptyRoomTimeout(), config.lastLeftTimeout(), now);
      if (patience.isPresent() && !patience.get().isPositive()) {
        return roomState.open()
            ? new AttemptOutcome.AttemptDone()
            : new AttemptOutcome.AttemptFailed("not admitted to the room in time");
      }
      Optional<RoomEvent> event = roomSession.next(sooner(snapshotSchedule.pause(now), patience));
      if (event.isPresent()) {
        Optional<AttemptOutcome> end = end(event.get());
        if (end.isPresent()) {
          return end.get();
        }
        roomState.see(event.get(), System.nanoTime());
      }
    }
    return new AttemptOutcome.AttemptDone();
  }

  private static Duration sooner(Duration one, Optional<Duration> other) {
    return other.filter(span -> span.compareTo(one) < 0).orElse(one);
  }

  private Optional<AttemptOutcome> take(
      TaskContext task, int number, RoomState roomState, SnapshotRequest order) {
    byte[] picture =
        SnapshotRenderer.png(
            roomState.tiles(order.layout(), order.userIds(), System.nanoTime()), order.layout());
    if (task.stopping()) {
      return Optional.empty();
    }
    try {
      put(task, number, picture);
      log.debug("Task {} stored picture {}", task.id(), number);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(new AttemptOutcome.AttemptRetry("a picture cannot be stored: " + e));
    }
  }

  /** The pictures of a task stay when its row is deleted, and its id may be used again then. */
  private void put(TaskContext task, int number, byte[] picture) throws IOException {
    String name = "snapshots/%s/%s-%d-%06d".formatted(task.id(), task.id(), task.attempt(), number);
    try {
      snapshotStore.put(new BlobKey(name + ".png"), picture);
    } catch (FileAlreadyExistsException taken) {
      snapshotStore.put(new BlobKey(name + "-" + Instant.now().toEpochMilli() + ".png"), picture);
    }
  }

  /** How the task ends with this event, if it does. */
  private static Optional<AttemptOutcome> end(RoomEvent event) {
    return switch (event.name()) {
      case "meeting-ended", "left" -> Optional.of(new AttemptOutcome.AttemptDone());
      case "denied" -> Optional.of(new AttemptOutcome.AttemptFailed("the room did not let us in"));
      case "ejected" ->
          Optional.of(new AttemptOutcome.AttemptFailed("we were put out of the room"));
      case "disconnected", RoomEvent.SESSION_GONE ->
          Optional.of(new AttemptOutcome.AttemptRetry("the room lost our connection"));
      case RoomEvent.PLATFORM_GONE ->
          Optional.of(new AttemptOutcome.AttemptRetry("the platform is unreachable"));
      default -> Optional.empty();
    };
  }
}
