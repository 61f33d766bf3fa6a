package io.convoke.agent.meeting;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Cuts the sound of a meeting into parts of ten seconds, of each person who was heard and of all
 * together, on one time line. The time is passed in, in samples since the recording began.
 */
final class MeetingRecorder {
  static final int WINDOW = 10 * SpeechSound.RATE;

  /** A track that is further behind the clock than this was interrupted. */
  private static final int BEHIND_MAX = SpeechSound.RATE / 5;

  /** A track that is further ahead of the clock than this brings its sound twice. */
  private static final int AHEAD_MAX = SpeechSound.RATE;

  private final LongSupplier clock;
  private final Consumer<RecordedPart> parts;

  /** Where each person's next sound goes. Guarded by this, as all that follows. */
  private final Map<String, Long> next = new HashMap<>();

  private final TreeMap<Long, RecordedWindow> open = new TreeMap<>();

  /** The first window that is not cut yet. */
  private long uncut;

  private boolean finished;

  /** Passes parts on in order, on the thread that cuts. */
  MeetingRecorder(LongSupplier clock, Consumer<RecordedPart> parts) {
    this.clock = clock;
    this.parts = parts;
  }

  /** Takes the sound of a person that has just arrived. */
  synchronized void heard(String personId, byte[] pcm) {
    int samples = pcm.length / 2;
    long begin = clock.getAsLong() - samples;
    long at = next.getOrDefault(personId, Long.MIN_VALUE / 2);
    if (finished || at - begin > AHEAD_MAX) {
      return;
    }
    if (begin - at > BEHIND_MAX) {
      at = Math.max(0, begin);
    }
    next.put(personId, at + samples);
    for (int taken = 0; taken < samples; ) {
      long number = (at + taken) / WINDOW;
      int place = (int) ((at + taken) % WINDOW);
      int now = Math.min(samples - taken, WINDOW - place);
      if (number >= uncut) {
        window(number).add(personId, place, pcm, taken, now);
      }
      taken += now;
    }
  }

  /** Passes on what is complete. */
  void cut() {
    // A second later: until then late sound may come.
    take((clock.getAsLong() - SpeechSound.RATE) / WINDOW).forEach(parts);
  }

  /** Passes on all that is left; returns how many samples the recording has. */
  long finish() {
    long now = clock.getAsLong();
    take(now / WINDOW).forEach(parts);
    long end;
    List<RecordedPart> rest = new ArrayList<>();
    synchronized (this) {
      finished = true;
      end = uncut * WINDOW;
      while (end < now || !open.isEmpty()) {
        RecordedWindow window = window(uncut);
        open.remove(uncut);
        int samples =
            open.isEmpty() ? (int) Math.max(window.end(), Math.min(WINDOW, now - end)) : WINDOW;
        rest.addAll(window.parts(samples));
        end += samples;
        uncut++;
      }
    }
    rest.forEach(parts);
    return end;
  }

  /** The parts of the windows before one. */
  private List<RecordedPart> take(long before) {
    List<RecordedWindow> complete = new ArrayList<>();
    synchronized (this) {
      while (uncut < before) {
        complete.add(window(uncut));
        open.remove(uncut);
        uncut++;
      }
    }
    return complete.stream().flatMap(window -> window.parts(WINDOW).stream()).toList();
  }

  private RecordedWindow window(long number) {
    return open.computeIfAbsent(number, it -> new RecordedWindow(it * WINDOW, WINDOW));
  }
}
