package io.convoke.server.recordings;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A recording as the API shows it.
 *
 * @param reason of its status
 * @param steps the steps, in order
 * @param foundBy the first report's path: {@code webhook} or {@code listing}
 * @param owner the component that acts next; absent when it is over
 * @param deadline until when, where it is given up after that
 * @param candidates meetings that it may belong to, while unmatched
 * @param audio the stored file
 * @param workflowId of the present run; absent before the first
 */
record RecordingView(
    String recordingId,
    Optional<Long> meetingId,
    RecordingStatus status,
    Optional<String> reason,
    List<RecordingStep> steps,
    int run,
    String roomName,
    String kind,
    String foundBy,
    Optional<String> owner,
    Optional<Instant> deadline,
    List<Long> candidates,
    Optional<Instant> startTime,
    Optional<Integer> durationS,
    Optional<AudioView> audio,
    Optional<String> workflowId,
    Instant stateEnteredAt,
    Instant createdAt,
    Instant updatedAt) {

  /** Size in bytes, and SHA-256 in hex. */
  record AudioView(long size, String sha256) {}

  static RecordingView of(RecordingRow row, RecordingConfig terms) {
    return new RecordingView(
        row.id(),
        row.meetingId(),
        row.status(),
        row.reason(),
        row.steps().all(),
        row.run(),
        row.room(),
        row.kind(),
        row.foundBy(),
        owner(row.status()),
        switch (row.status()) {
          case IN_PROGRESS -> Optional.of(row.stateEnteredAt().plus(terms.abandonAfter()));
          case UNMATCHED -> Optional.of(row.toldAt().plus(terms.abandonAfter()));
          case READY, PROCESSING, DONE, FAILED, CANCELLED, EMPTY, GIVEN_UP -> Optional.empty();
        },
        row.status() == RecordingStatus.UNMATCHED ? row.candidates() : List.of(),
        row.startTime(),
        row.durationS(),
        row.audio().map(storedAudio -> new AudioView(storedAudio.size(), storedAudio.sha256())),
        row.run() == 0 ? Optional.empty() : Optional.of(row.workflow()),
        row.stateEnteredAt(),
        row.createdAt(),
        row.updatedAt());
  }

  private static Optional<String> owner(RecordingStatus status) {
    return switch (status) {
      case IN_PROGRESS -> Optional.of("platform");
      case UNMATCHED -> Optional.of("people");
      case READY, PROCESSING -> Optional.of("workflow");
      case DONE, FAILED, CANCELLED, EMPTY, GIVEN_UP -> Optional.empty();
    };
  }
}
