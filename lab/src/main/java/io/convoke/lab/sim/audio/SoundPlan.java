package io.convoke.lab.sim.audio;

import io.convoke.lab.sim.world.Recording;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which line sounds when in a recording's file.
 *
 * <p>A line takes as long as its words take to say and never overlaps the one before, so a meeting
 * that ran faster than the wall clock has a file that is longer than it.
 *
 * @param length the whole file
 */
record SoundPlan(List<Slot> slots, Duration length) {

  /** The longest file, whatever was said. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final Duration PER_WORD = Duration.ofMillis(450);

  /** One line in the file. */
  record Slot(String speaker, String text, Duration start, Duration length) {}

  /**
   * Plans a whole recording, or one speaker's track of it.
   *
   * @param speaker absent for everybody
   */
  static SoundPlan of(Recording recording, Optional<String> speaker) {
    List<Slot> slots = new ArrayList<>();
    Duration end = Duration.ZERO;
    for (Recording.Line line : recording.lines()) {
      Duration start = line.offset().compareTo(end) > 0 ? line.offset() : end;
      Duration length = PER_WORD.multipliedBy(1 + line.text().split("\\s+", -1).length);
      end = start.plus(length);
      if (end.compareTo(LONGEST) > 0) {
        break;
      }
      if (speaker.map(line.speaker()::equals).orElse(true)) {
        slots.add(new Slot(line.speaker(), line.text(), start, length));
      }
    }
    Duration recorded = recording.duration(recording.startedAt());
    Duration whole = recorded.compareTo(end) > 0 ? recorded : end;
    Duration seconds = Duration.ofSeconds(Math.max(1, whole.plusMillis(999).toSeconds()));
    return new SoundPlan(slots, seconds.compareTo(LONGEST) < 0 ? seconds : LONGEST);
  }

  /** Bytes of the WAV file. */
  int size() {
    return Wav.HEADER + Wav.BYTES_PER_SECOND * (int) length.toSeconds();
  }
}
