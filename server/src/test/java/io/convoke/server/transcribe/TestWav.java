package io.convoke.server.transcribe;

import io.convoke.server.media.SpeechWav;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;

/** WAV files with a tone or a clock in them, in the form that transcribers get. */
final class TestWav {
  private TestWav() {}

  static Path tone(Path folder, int seconds) throws IOException {
    return wav(
        Files.createTempFile(folder, "tone", ".wav"),
        seconds,
        i -> (int) (12_000 * Math.sin(2 * Math.PI * 200 * i / SpeechWav.RATE)));
  }

  /** Samples that are the number of their second: any part of them shows its time. */
  static Path clock(Path folder, int seconds) throws IOException {
    return wav(Files.createTempFile(folder, "clock", ".wav"), seconds, i -> i / SpeechWav.RATE);
  }

  private static Path wav(Path path, int seconds, IntUnaryOperator sampleAt) throws IOException {
    int samples = seconds * SpeechWav.RATE;
    ByteBuffer file = ByteBuffer.allocate(44 + 2 * samples).order(ByteOrder.LITTLE_ENDIAN);
    file.put(ascii("RIFF")).putInt(file.capacity() - 8).put(ascii("WAVE"));
    file.put(ascii("fmt ")).putInt(16).putShort((short) 1).putShort((short) 1);
    file.putInt(SpeechWav.RATE).putInt(2 * SpeechWav.RATE).putShort((short) 2);
    file.putShort((short) 16).put(ascii("data")).putInt(2 * samples);
    for (int i = 0; i < samples; i++) {
      file.putShort((short) sampleAt.applyAsInt(i));
    }
    return Files.write(path, file.array());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
