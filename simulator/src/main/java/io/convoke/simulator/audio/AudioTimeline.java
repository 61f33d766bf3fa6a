package io.convoke.simulator.audio;

import io.convoke.simulator.state.Recording;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The start of each line in a recording's file.
 *
 * <p>A line takes as long as its words take to speak and never overlaps the one before, so a
 * meeting that ran faster than the wall clock has a longer file.
 *
 * @param length the whole file
 */
record AudioTimeline(List<AudioSegment> slots, Duration length) {

  /** The longest file. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final Duration PER_WORD = Duration.ofMillis(450);

  /** The pause between two sentences of a line, and at a comma. */
  private static final Duration PER_STOP = Duration.ofMillis(600);

  private static final Duration PER_COMMA = Duration.ofMillis(250);

  /** The pause between two lines. */
  private static final Duration PER_LINE = Duration.ofMillis(400);

  private static final Pattern STOPS = Pattern.compile("[.?!:] ");
  private static final Pattern COMMAS = Pattern.compile("[,;] ");

  /** One line in the file. */
  record AudioSegment(String speaker, String text, Duration start, Duration length) {}

  /**
   * Plans a whole recording, or what one session says in it.
   *
   * @param session absent for the mix
   */
  static AudioTimeline of(Recording recording, Optional<String> session) {
    List<AudioSegment> slots = new ArrayList<>();
    Duration end = Duration.ZERO;
    for (Recording.SpokenLine spokenLine : recording.lines()) {
      Duration start = spokenLine.offset().compareTo(end) > 0 ? spokenLine.offset() : end;
      Duration length = spoken(spokenLine.text());
      end = start.plus(length);
      if (end.compareTo(LONGEST) > 0) {
        break;
      }
      if (session.map(spokenLine.sessionId()::equals).orElse(true)) {
        slots.add(new AudioSegment(spokenLine.speaker(), spokenLine.text(), start, length));
      }
    }
    Duration recorded = recording.duration(recording.startedAt());
    Duration whole = recorded.compareTo(end) > 0 ? recorded : end;
    Duration seconds = Duration.ofSeconds(Math.max(1, whole.plusMillis(999).toSeconds()));
    return new AudioTimeline(slots, seconds.compareTo(LONGEST) < 0 ? seconds : LONGEST);
  }

  private static Duration spoken(String text) {
    return PER_WORD
        .multipliedBy(1 + text.split("\\s+", -1).length)
        .plus(PER_LINE)
        .plus(PER_STOP.multipliedBy(STOPS.matcher(text).results().count()))
        .plus(PER_COMMA.multipliedBy(COMMAS.matcher(text).results().count()));
  }
}
