package io.convoke.simulator.state;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;

/**
 * A recording of a meeting, while it runs and after.
 *
 * @param startedBy the session that requested it; absent when the API or a script did
 * @param type {@code cloud}, {@code cloud-audio-only} or {@code raw-tracks}
 * @param outcome its result once it has stopped and was processed
 * @param lines the lines spoken meanwhile
 */
public record Recording(
    String recordingId,
    String label,
    String instanceId,
    Optional<String> startedBy,
    String room,
    String meetingId,
    String type,
    RecordingStatus status,
    RecordingOutcome outcome,
    Instant startedAt,
    Optional<Instant> endedAt,
    int maxParticipants,
    List<SpokenLine> lines) {

  /** How far it is. */
  public enum RecordingStatus {
    IN_PROGRESS,
    FINISHED,
    CANCELED,
    FAILED
  }

  /** The planned result. */
  public enum RecordingOutcome {
    FINISHED,
    /** The platform reports an error when it stops, and makes the file all the same. */
    FINISHED_AFTER_ERROR,
    CANCELED,
    ERROR
  }

  /** One spoken line, and its time since the recording's start. */
  public record SpokenLine(String sessionId, String speaker, Duration offset, String text) {}

  public Duration duration(Instant now) {
    return Duration.between(startedAt, endedAt.orElse(now));
  }

  /** The speakers, in order of their first segment: a track each. */
  public SequencedSet<String> speakers() {
    SequencedSet<String> speakers = new LinkedHashSet<>();
    lines.forEach(spokenLine -> speakers.add(spokenLine.speaker()));
    return speakers;
  }

  Recording withLine(SpokenLine spokenLine) {
    List<SpokenLine> more = new ArrayList<>(lines);
    more.add(spokenLine);
    return new Recording(
        recordingId,
        label,
        instanceId,
        startedBy,
        room,
        meetingId,
        type,
        status,
        outcome,
        startedAt,
        endedAt,
        maxParticipants,
        List.copyOf(more));
  }

  Recording with(RecordingStatus next, Optional<Instant> end, int participants) {
    return new Recording(
        recordingId,
        label,
        instanceId,
        startedBy,
        room,
        meetingId,
        type,
        next,
        outcome,
        startedAt,
        end,
        participants,
        lines);
  }
}
