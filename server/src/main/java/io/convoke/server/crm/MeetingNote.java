package io.convoke.server.crm;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A meeting's note for a CRM, in a neutral form.
 *
 * @param externalId never changes: a repeated note replaces the first
 * @param durationS of the recording
 */
public record MeetingNote(
    String externalId,
    long meetingId,
    String recordingId,
    String platform,
    String room,
    Optional<Instant> startedAt,
    Optional<Integer> durationS,
    List<MeetingNotePerson> people,
    List<MeetingNoteLine> lines) {
  public MeetingNote {
    people = List.copyOf(people);
    lines = List.copyOf(lines);
  }

  /** A participant. */
  public record MeetingNotePerson(Optional<String> userId, Optional<String> name) {}

  /** A transcript segment; times in seconds of the recording. */
  public record MeetingNoteLine(double start, double end, Optional<String> speaker, String text) {}

  /** The transcript as one text, a line per segment, with the speaker. */
  public String transcriptText() {
    StringBuilder transcriptText = new StringBuilder();
    for (MeetingNoteLine meetingNoteLine : lines) {
      meetingNoteLine.speaker().ifPresent(name -> transcriptText.append(name).append(": "));
      transcriptText.append(meetingNoteLine.text()).append('\n');
    }
    return transcriptText.toString();
  }

  /** When the recording ended, if that is known. */
  public Optional<Instant> endedAt() {
    return startedAt.flatMap(start -> durationS.map(start::plusSeconds));
  }
}
