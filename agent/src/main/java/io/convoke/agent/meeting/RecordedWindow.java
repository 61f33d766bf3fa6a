package io.convoke.agent.meeting;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sound of some seconds of a meeting, each person's apart. No I/O. */
final class RecordedWindow {
  /** Of 32,768: what is never louder than this is left out. */
  private static final int QUIET = 64;

  private final long begin;
  private final int length;
  private final Map<String, PersonSound> people = new LinkedHashMap<>();

  /** One person's sound from the first that can be heard to the last. */
  private static final class PersonSound {
    private final byte[] pcm;
    private final int from;
    private int to;

    private PersonSound(int length, int from) {
      this.pcm = new byte[2 * length];
      this.from = from;
      this.to = from;
    }
  }

  /** {@code begin} and {@code length} are samples of the recording. */
  RecordedWindow(long begin, int length) {
    this.begin = begin;
    this.length = length;
  }

  /** Takes samples of a piece, at a place in this window. */
  void add(String personId, int at, byte[] pcm, int first, int samples) {
    PersonSound sound = people.get(personId);
    if (sound == null) {
      if (SpeechSound.loudest(pcm) < QUIET) {
        return;
      }
      sound = new PersonSound(length, at);
      people.put(personId, sound);
    }
    System.arraycopy(pcm, 2 * first, sound.pcm, 2 * at, 2 * samples);
    sound.to = Math.max(sound.to, at + samples);
  }

  /** Where the last sound ends, after the window's beginning. */
  int end() {
    return people.values().stream().mapToInt(sound -> sound.to).max().orElse(0);
  }

  /** The parts of those who were heard, and one of all together with its first samples. */
  List<RecordedPart> parts(int samples) {
    List<RecordedPart> parts = new ArrayList<>();
    people.forEach(
        (id, sound) ->
            parts.add(
                new RecordedPart(
                    Optional.of(id),
                    begin + sound.from,
                    Arrays.copyOfRange(sound.pcm, 2 * sound.from, 2 * sound.to))));
    if (samples > 0) {
      parts.add(new RecordedPart(Optional.empty(), begin, mixed(samples)));
    }
    return parts;
  }

  private byte[] mixed(int samples) {
    byte[] all = new byte[2 * samples];
    for (PersonSound sound : people.values()) {
      for (int i = sound.from; i < Math.min(sound.to, samples); i++) {
        int sum = SpeechSound.sample(all, i) + SpeechSound.sample(sound.pcm, i);
        SpeechSound.put(all, i, Math.clamp(sum, Short.MIN_VALUE, Short.MAX_VALUE));
      }
    }
    return all;
  }
}
