package io.convoke.simulator.audio;

import io.convoke.simulator.state.Recording;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Makes the sound of a recording: spoken by {@code espeak-ng} if it is on the PATH, else hummed.
 */
public final class SpeechSynthesizer {

  private static final Optional<String> SYNTHESISER =
      Arrays.stream(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
          .map(folder -> new File(folder, "espeak-ng"))
          .filter(File::canExecute)
          .map(File::getPath)
          .findFirst();

  /** Words per minute; slow enough to fit into the plan's slots and to be recognised. */
  private static final String WORDS = "130";

  /** Voices differ, and none is so high or so low that a machine does not understand it. */
  private static final int PITCH_MIN = 30;

  private static final int PITCH_SPAN = 26;

  private SpeechSynthesizer() {}

  /**
   * A WAV file of a recording.
   *
   * @param session whose words alone are heard; absent for the mix
   */
  public static byte[] wav(Recording recording, Optional<String> session) {
    return WavFile.file(samples(recording, session));
  }

  static short[] samples(Recording recording, Optional<String> session) {
    AudioTimeline plan = AudioTimeline.of(recording, session);
    short[] samples = new short[WavFile.RATE * (int) plan.length().toSeconds()];
    for (AudioTimeline.AudioSegment audioSegment : plan.slots()) {
      int start = (int) (audioSegment.start().toMillis() * WavFile.RATE / 1000);
      int length = (int) (audioSegment.length().toMillis() * WavFile.RATE / 1000);
      int room = Math.min(length, samples.length - start);
      Optional<short[]> spoken = SYNTHESISER.flatMap(program -> speak(program, audioSegment));
      if (spoken.isPresent()) {
        System.arraycopy(spoken.get(), 0, samples, start, Math.min(spoken.get().length, room));
      } else {
        hum(samples, start, room, audioSegment);
      }
    }
    return samples;
  }

  /** A tone per speaker, swelling once per word. */
  private static void hum(
      short[] samples, int start, int length, AudioTimeline.AudioSegment audioSegment) {
    double pitch = 140 + Math.floorMod(audioSegment.speaker().hashCode(), 160);
    int words = Math.max(1, audioSegment.text().split("\\s+", -1).length);
    for (int i = 0; i < length; i++) {
      double swell = Math.sin(Math.PI * ((double) i * words / length % 1));
      samples[start + i] =
          (short) (6000 * swell * Math.sin(2 * Math.PI * pitch * i / WavFile.RATE));
    }
  }

  private static Optional<short[]> speak(String program, AudioTimeline.AudioSegment audioSegment) {
    try {
      String pitch =
          Integer.toString(
              PITCH_MIN + Math.floorMod(audioSegment.speaker().hashCode(), PITCH_SPAN));
      Process process =
          new ProcessBuilder(
                  program,
                  "--stdout",
                  "-v",
                  "en-us",
                  "-s",
                  WORDS,
                  "-p",
                  pitch,
                  "--",
                  audioSegment.text())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      byte[] wav = process.getInputStream().readAllBytes();
      boolean done = process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
      return done ? WavFile.samples(wav) : Optional.empty();
    } catch (IOException silent) {
      return Optional.empty();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
