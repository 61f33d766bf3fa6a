package io.convoke.lab.sim.world;

import io.convoke.lab.sim.time.Draws;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** All recordings of the platform. Guarded by the world's lock. */
final class Recordings {

  private final Draws draws;
  private final Consumer<WorldEvent> tell;
  private final Map<String, Recording> all = new LinkedHashMap<>();
  private final Map<String, Integer> perRoom = new LinkedHashMap<>();

  Recordings(Draws draws, Consumer<WorldEvent> tell) {
    this.draws = draws;
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
        .filter(r -> r.room().equals(room) && r.status() == Recording.Status.IN_PROGRESS)
        .filter(r -> r.endedAt().isEmpty())
        .toList();
  }

  Recording start(MeetingState meeting, RecordingRequest request, Instant now) {
    String room = request.room();
    String label = room + "@" + perRoom.merge(room, 1, Integer::sum);
    Recording recording =
        new Recording(
            draws.id("recording", label).toString(),
            label,
            request.instanceId().orElseGet(() -> draws.id("instance", label).toString()),
            request.startedBy(),
            room,
            meeting.meetingId,
            request.type(),
            Recording.Status.IN_PROGRESS,
            request.outcome(),
            now,
            Optional.empty(),
            meeting.maxParticipants(),
            List.of());
    all.put(recording.recordingId(), recording);
    tell.accept(new WorldEvent.RecordingStarted(recording));
    return recording;
  }

  void heard(Session session, String text, Instant now) {
    String speaker = session.visitor().userName().orElse("Somebody");
    for (Recording recording : running(session.room())) {
      Duration offset = Duration.between(recording.startedAt(), now);
      replace(recording.heard(new Recording.Line(session.sessionId(), speaker, offset, text)));
    }
  }

  /** Marks the end of what is recorded; the file still has to be made. */
  Recording stop(Recording recording, int participants, Instant now) {
    return replace(recording.with(Recording.Status.IN_PROGRESS, Optional.of(now), participants));
  }

  /** The file was made, or was not. */
  void settle(String recordingId, Instant now) {
    Recording recording = all.get(recordingId);
    if (recording == null || recording.status() != Recording.Status.IN_PROGRESS) {
      return;
    }
    Recording.Status status =
        switch (recording.outcome()) {
          case FINISHED -> Recording.Status.FINISHED;
          case CANCELED -> Recording.Status.CANCELED;
          case ERROR -> Recording.Status.FAILED;
        };
    Recording settled =
        replace(recording.with(status, recording.endedAt(), recording.maxParticipants()));
    tell.accept(new WorldEvent.RecordingSettled(settled, now));
  }

  /** Drops the oldest settled recordings beyond a bound. */
  void forgetBeyond(int bound) {
    var oldest = all.values().iterator();
    while (all.size() > bound && oldest.hasNext()) {
      if (oldest.next().status() != Recording.Status.IN_PROGRESS) {
        oldest.remove();
      }
    }
  }

  private Recording replace(Recording recording) {
    all.put(recording.recordingId(), recording);
    return recording;
  }
}
