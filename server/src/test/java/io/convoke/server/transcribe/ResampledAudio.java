package io.convoke.server.transcribe;

import io.convoke.server.media.SpeechWav;
import java.io.IOException;
import java.nio.file.Path;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.UnsupportedAudioFileException;

/** A WAV file in the form that transcribers get. */
final class ResampledAudio {
  private ResampledAudio() {}

  static Path to16k(Path from, Path to) throws IOException, UnsupportedAudioFileException {
    AudioFormat form = new AudioFormat(SpeechWav.RATE, 16, 1, true, false);
    try (AudioInputStream spoken = AudioSystem.getAudioInputStream(from.toFile());
        AudioInputStream resampled = AudioSystem.getAudioInputStream(form, spoken)) {
      int _ = AudioSystem.write(resampled, AudioFileFormat.Type.WAVE, to.toFile());
      return to;
    }
  }
}
