package io.convoke.simulator.state;

import io.convoke.simulator.time.SeededRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** All recordings of the platform. Guarded by the world's lock. */
final class RecordingRegistry {
  /** Daily's id of the instance of each recording that was started without one. */
  private static final String DEFAULT_INSTANCE = "c3df927c-f738-4471-a2b7-066fa7e95a6b";

  private final SeededRandom seededRandom;
  private final Consumer<SimulationEvent> tell;
  private final Map<String, Recording> all = new LinkedHashMap<>();
  private final Map<String, Integer> perRoom = new LinkedHashMap<>();

  RecordingRegistry(SeededRandom seededRandom, Consumer<SimulationEvent> tell) {
    this.seededRandom = seededRandom;
    this.tell = tell;
  }

  /** Newest first. */
  List<Recording> newestFirst() {
    return new ArrayList<>(all.values()).reversed();
  }

  Optional<Recording> find(String recordingId) {
    return Optional.ofNullable(all.get(recordingId));
  }

  /** The running recordings of a room. */
  List<Recording> running(String room) {
    return all.values().stream()
        .filter(r -> r.room().equals(room) && r.status() == Recording.RecordingStatus.IN_PROGRESS)
        .filter(r -> r.endedAt().isEmpty())
        .toList();
  }

  Recording start(MeetingState meeting, RecordingRequest request, Instant now) {
    String room = request.room();
    String label = label(room);
    Recording recording =
        new Recording(
            seededRandom.id("recording", label).toString(),
            label,
            request.instanceId().orElse(DEFAULT_INSTANCE),
            request.startedBy(),
            room,
            meeting.meetingId,
            request.type(),
            Recording.RecordingStatus.IN_PROGRESS,
            request.outcome(),
            now,
            Optional.empty(),
            meeting.maxParticipants(),
            List.of());
    all.put(recording.recordingId(), recording);
    tell.accept(new SimulationEvent.RecordingStarted(recording));
    return recording;
  }

  /** A start fails, which leaves no recording. */
  void failStart(String room, Instant now) {
    tell.accept(new SimulationEvent.RecordingFailed(room, label(room), DEFAULT_INSTANCE, now));
  }

  private String label(String room) {
    return room + "@" + perRoom.merge(room, 1, Integer::sum);
  }

  void recordLine(RoomSession roomSession, String text, Instant now) {
    String speaker = roomSession.visitor().userName().orElse("Unnamed");
    for (Recording recording : running(roomSession.room())) {
      Duration offset = Duration.between(recording.startedAt(), now);
      replace(
          recording.withLine(
              new Recording.SpokenLine(roomSession.sessionId(), speaker, offset, text)));
    }
  }

  /** Marks the end of the recording; its file still has to be made. */
  void stop(Recording recording, int participants, Instant now) {
    Recording stopped =
        replace(
            recording.with(Recording.RecordingStatus.IN_PROGRESS, Optional.of(now), participants));
    if (stopped.outcome() == Recording.RecordingOutcome.FINISHED_AFTER_ERROR) {
      tell.accept(failed(stopped, now));
    }
  }

  /** The file was made, or was not. */
  void settle(String recordingId, Instant now) {
    Recording recording = all.get(recordingId);
    if (recording == null || recording.status() != Recording.RecordingStatus.IN_PROGRESS) {
      return;
    }
    Recording.RecordingStatus recordingStatus =
        switch (recording.outcome()) {
          case FINISHED, FINISHED_AFTER_ERROR -> Recording.RecordingStatus.FINISHED;
          case CANCELED -> Recording.RecordingStatus.CANCELED;
          case ERROR -> Recording.RecordingStatus.FAILED;
        };
    Recording settled =
        replace(recording.with(recordingStatus, recording.endedAt(), recording.maxParticipants()));
    tell.accept(new SimulationEvent.RecordingSettled(settled, now));
    if (recordingStatus == Recording.RecordingStatus.FAILED) {
      tell.accept(failed(settled, now));
    }
  }

  private static SimulationEvent failed(Recording recording, Instant now) {
    return new SimulationEvent.RecordingFailed(
        recording.room(), recording.label(), recording.instanceId(), now);
  }

  /** Drops the oldest settled recordings beyond a bound. */
  void trimTo(int bound) {
    var oldest = all.values().iterator();
    while (all.size() > bound && oldest.hasNext()) {
      if (oldest.next().status() != Recording.RecordingStatus.IN_PROGRESS) {
        oldest.remove();
      }
    }
  }

  private Recording replace(Recording recording) {
    all.put(recording.recordingId(), recording);
    return recording;
  }
}
