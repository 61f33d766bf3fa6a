package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.rooms.RoomMachine.TranscribedLine;
import io.convoke.chaos.rooms.RoomPlan.RoomTarget;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything that was observed in a run.
 *
 * @param sentences of each person
 * @param visits the run's own record of who was in the room
 * @param attempts joins that failed, and may yet have been seen
 * @param sessions what the API tells of it at the end
 * @param absent names that the API did not show as they were when it was quiet again
 * @param heard lines of bots' transcribers
 * @param quiet when all were back and a bot was there
 * @param recorded lines of the transcriber of recordings
 * @param transcript all lines of the meetings
 * @param stay from before the first bot until people began to leave
 * @param killedBots the time at which the run killed a bot, by process
 * @param bots the status of each bot's meeting at the end
 * @param files recorded files and what ffprobe said of each
 * @param recordings state of each recording
 */
record RoomHistory(
    Map<String, List<String>> sentences,
    List<RoomVisit> visits,
    List<RoomVisit> attempts,
    List<ShownSession> sessions,
    List<String> absent,
    List<TranscribedLine> heard,
    Instant quiet,
    List<String> recorded,
    List<TranscriptLine> transcript,
    Duration stay,
    Map<Long, Instant> killedBots,
    Map<Long, String> bots,
    EgressStory egress,
    List<PlayedFile> files,
    Map<String, String> recordings,
    List<String> processesLeft,
    AvailabilityRule.Calls calls) {
  /** The setting of the servers. */
  static final Duration RECONCILE = Duration.ofSeconds(4);

  /** Targets without which the room goes on. */
  private static final Set<String> APART =
      Stream.of(RoomTarget.BOT, RoomTarget.POD, RoomTarget.ENCODER, RoomTarget.MEDIA)
          .map(RoomTarget::name)
          .collect(Collectors.toSet());

  /** Time for a poll and for two looks at an absence, on a slow machine. */
  static final Duration BOUND = RECONCILE.plusSeconds(26);

  /** A stay in the room; each end is known to lie between two times. */
  record RoomVisit(
      String name, Instant joinFrom, Instant joinTo, Instant leaveFrom, Instant leaveTo) {}

  /** A session of a participant, as the API tells it. */
  record ShownSession(String id, String name, Instant joined, Optional<Instant> left) {}

  /**
   * A line of a transcript.
   *
   * @param session names the recording or the bot's stay
   * @param start seconds since that began
   */
  record TranscriptLine(String session, String speaker, String text, double start) {
    boolean ofRecording() {
      return session.startsWith("recording:");
    }

    /** Whether it is of what a bot recorded, and not of what Janus did. */
    boolean ofBotsRecording() {
      return session.startsWith("recording:bot-");
    }
  }

  /**
   * A file of the egress.
   *
   * @param speaker whose voice it is said to be; empty for that of all
   * @param told its length as it is told, in seconds
   * @param played its length by ffprobe; empty if it cannot be played
   * @param heard the lines that a transcriber hears in a speaker's file
   */
  record PlayedFile(
      String name,
      Optional<String> speaker,
      double told,
      Optional<Double> played,
      List<String> heard) {}

  /** A pause in the recording, as the task tells it. */
  record ReportedGap(Instant from, Instant to, String reason) {}

  /**
   * What the task told and what really happened to its encoder.
   *
   * @param breaks faults that ended it, from the kill until another ffmpeg began
   * @param pauses when people came or went, or sound could not flow
   * @param segments what is in its file
   * @param last the end of the last segment, or of a gap behind it
   * @param stopped when people began to leave for good
   */
  record EgressStory(
      String state,
      List<ReportedGap> gaps,
      List<EncoderBreak> breaks,
      List<FaultWindow> pauses,
      List<StoredSegment> segments,
      Instant last,
      Instant stopped) {
    /** The beginning of the first segment; when people began to leave if there is none. */
    Instant first() {
      return segments.stream()
          .map(StoredSegment::from)
          .min(Comparator.naturalOrder())
          .orElse(stopped);
    }

    /** How often it was begun anew. */
    long parts() {
      return segments.stream().map(StoredSegment::part).distinct().count();
    }
  }

  /** Some seconds of a recording, of one run of its encoder. */
  record StoredSegment(String part, Instant from, Instant to) {}

  /** An encoder that began, was killed, and had a successor that began. */
  record EncoderBreak(String what, Instant began, Instant killed, Instant encoding) {}

  /** The person whose sentences have most words of this text; empty if two have as many. */
  Optional<String> speakerOf(String text) {
    List<String> all =
        sentences.keySet().stream()
            .sorted(Comparator.comparingInt((String name) -> shared(name, text)).reversed())
            .toList();
    int best = shared(all.getFirst(), text);
    return best == 0 || (all.size() > 1 && shared(all.get(1), text) == best)
        ? Optional.empty()
        : Optional.of(all.getFirst());
  }

  private int shared(String name, String text) {
    Set<String> own =
        new HashSet<>(words(String.join(" ", sentences.getOrDefault(name, List.of()))));
    return (int) words(text).stream().filter(own::contains).count();
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.toLowerCase(Locale.ROOT).split("[^a-z']+", -1))
        .filter(word -> !word.isEmpty())
        .toList();
  }

  /**
   * Whether a fault of what tells and keeps presence and words could be felt between these times.
   */
  boolean disturbed(Instant from, Instant to) {
    return calls.windows().stream()
        .filter(window -> !APART.contains(window.target()))
        .anyMatch(window -> window.touches(from, to));
  }
}
