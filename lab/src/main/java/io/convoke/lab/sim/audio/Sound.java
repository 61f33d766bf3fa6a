package io.convoke.lab.sim.audio;

import io.convoke.lab.sim.world.Recording;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Makes the sound of a recording: spoken by {@code espeak-ng} if it is on the PATH, else hummed.
 */
public final class Sound {

  private static final Optional<String> SYNTHESISER =
      Arrays.stream(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
          .map(folder -> new File(folder, "espeak-ng"))
          .filter(File::canExecute)
          .map(File::getPath)
          .findFirst();

  /** A minute; slow enough to fit into the plan's slots and to be understood by a machine. */
  private static final String WORDS = "130";

  /** Voices differ, and none is so high or so low that a machine does not understand it. */
  private static final int PITCH_MIN = 30;

  private static final int PITCH_SPAN = 26;

  private Sound() {}

  /**
   * A WAV file of a recording.
   *
   * @param speaker of the track; absent for the mix
   */
  public static byte[] wav(Recording recording, Optional<String> speaker) {
    SoundPlan plan = SoundPlan.of(recording, speaker);
    short[] samples = new short[Wav.RATE * (int) plan.length().toSeconds()];
    for (SoundPlan.Slot slot : plan.slots()) {
      int start = (int) (slot.start().toMillis() * Wav.RATE / 1000);
      int length = (int) (slot.length().toMillis() * Wav.RATE / 1000);
      int room = Math.min(length, samples.length - start);
      Optional<short[]> spoken = SYNTHESISER.flatMap(program -> speak(program, slot));
      if (spoken.isPresent()) {
        System.arraycopy(spoken.get(), 0, samples, start, Math.min(spoken.get().length, room));
      } else {
        hum(samples, start, room, slot);
      }
    }
    return Wav.file(samples);
  }

  /** A tone per speaker, swelling once per word. */
  private static void hum(short[] samples, int start, int length, SoundPlan.Slot slot) {
    double pitch = 140 + Math.floorMod(slot.speaker().hashCode(), 160);
    int words = Math.max(1, slot.text().split("\\s+", -1).length);
    for (int i = 0; i < length; i++) {
      double swell = Math.sin(Math.PI * ((double) i * words / length % 1));
      samples[start + i] = (short) (6000 * swell * Math.sin(2 * Math.PI * pitch * i / Wav.RATE));
    }
  }

  private static Optional<short[]> speak(String program, SoundPlan.Slot slot) {
    try {
      String pitch =
          Integer.toString(PITCH_MIN + Math.floorMod(slot.speaker().hashCode(), PITCH_SPAN));
      Process process =
          new ProcessBuilder(
                  program, "--stdout", "-v", "en-us", "-s", WORDS, "-p", pitch, "--", slot.text())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      byte[] wav = process.getInputStream().readAllBytes();
      boolean done = process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
      return done ? Wav.samples(wav) : Optional.empty();
    } catch (IOException silent) {
      return Optional.empty();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
