package io.convoke.server.crm;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A meeting's note for a CRM, in a neutral form.
 *
 * @param externalId never changes: a repeated note replaces the first
 * @param recordingId absent if the words are a bot's, or there are none
 * @param ownerEmail of the meeting's user
 * @param durationS of the recording, or of the meeting
 * @param summary in paragraphs, if there is one
 */
public record MeetingNote(
    String externalId,
    long meetingId,
    Optional<String> recordingId,
    String platform,
    String room,
    Optional<Instant> startedAt,
    Optional<Integer> durationS,
    Optional<String> ownerEmail,
    Optional<String> summary,
    List<MeetingNotePerson> people,
    List<MeetingNoteLine> lines) {
  public MeetingNote {
    people = List.copyOf(people);
    lines = List.copyOf(lines);
  }

  /** A participant; {@code email} if the platform's user id or the name is an address. */
  public record MeetingNotePerson(
      Optional<String> userId, Optional<String> name, Optional<String> email) {
    private static final Pattern ADDRESS =
        Pattern.compile("[^\\s@<>\",;()]{1,64}@[^\\s@<>\",;()]{1,190}\\.[^\\s@<>\",;()]{2,63}");

    /** As a platform knows a participant. */
    public static MeetingNotePerson of(Optional<String> userId, Optional<String> name) {
      return new MeetingNotePerson(userId, name, address(userId).or(() -> address(name)));
    }

    private static Optional<String> address(Optional<String> text) {
      return text.map(String::strip)
          .filter(value -> ADDRESS.matcher(value).matches())
          .map(value -> value.toLowerCase(Locale.ROOT));
    }
  }

  /** A transcript segment; times in seconds of the recording. */
  public record MeetingNoteLine(double start, double end, Optional<String> speaker, String text) {}

  /** The same meeting with its owner, summary, participants and words. */
  public MeetingNote with(
      Optional<String> owner,
      Optional<String> text,
      List<MeetingNotePerson> present,
      List<MeetingNoteLine> said) {
    return new MeetingNote(
        externalId,
        meetingId,
        recordingId,
        platform,
        room,
        startedAt,
        durationS,
        owner,
        text,
        present,
        said);
  }

  /** The addresses of the participants, each once. */
  public List<String> addresses() {
    return people.stream().flatMap(person -> person.email().stream()).distinct().toList();
  }

  /** When the recording ended, if that is known. */
  public Optional<Instant> endedAt() {
    return startedAt.flatMap(start -> durationS.map(start::plusSeconds));
  }
}
