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
    String label = room + "@" + perRoom.merge(room, 1, Integer::sum);
    Recording recording =
        new Recording(
            seededRandom.id("recording", label).toString(),
            label,
            request.instanceId().orElseGet(() -> seededRandom.id("instance", label).toString()),
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
  Recording stop(Recording recording, int participants, Instant now) {
    return replace(
        recording.with(Recording.RecordingStatus.IN_PROGRESS, Optional.of(now), participants));
  }

  /** The file was made, or was not. */
  void settle(String recordingId, Instant now) {
    Recording recording = all.get(recordingId);
    if (recording == null || recording.status() != Recording.RecordingStatus.IN_PROGRESS) {
      return;
    }
    Recording.RecordingStatus recordingStatus =
        switch (recording.outcome()) {
          case FINISHED -> Recording.RecordingStatus.FINISHED;
          case CANCELED -> Recording.RecordingStatus.CANCELED;
          case ERROR -> Recording.RecordingStatus.FAILED;
        };
    Recording settled =
        replace(recording.with(recordingStatus, recording.endedAt(), recording.maxParticipants()));
    tell.accept(new SimulationEvent.RecordingSettled(settled, now));
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
