package io.convoke.server.transcribe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** WAV files with a tone or a clock in them. */
final class TestWav {
  private TestWav() {}

  static Path tone(Path folder, double seconds, int rate, int channels) throws IOException {
    int frames = (int) (seconds * rate);
    ByteBuffer file =
        ByteBuffer.allocate(44 + 2 * channels * frames).order(ByteOrder.LITTLE_ENDIAN);
    file.put(ascii("RIFF")).putInt(file.capacity() - 8).put(ascii("WAVE"));
    file.put(ascii("fmt ")).putInt(16).putShort((short) 1).putShort((short) channels);
    file.putInt(rate).putInt(2 * channels * rate).putShort((short) (2 * channels));
    file.putShort((short) 16).put(ascii("data")).putInt(2 * channels * frames);
    for (int i = 0; i < frames; i++) {
      short sample = (short) (12_000 * Math.sin(2 * Math.PI * 200 * i / rate));
      for (int channel = 0; channel < channels; channel++) {
        file.putShort(sample);
      }
    }
    return Files.write(Files.createTempFile(folder, "tone", ".wav"), file.array());
  }

  /** Samples that are the number of their second: any part of them shows its time. */
  static Path clock(Path folder, int seconds) throws IOException {
    int rate = 16_000;
    ByteBuffer file = ByteBuffer.allocate(44 + 2 * seconds * rate).order(ByteOrder.LITTLE_ENDIAN);
    file.put(ascii("RIFF")).putInt(file.capacity() - 8).put(ascii("WAVE"));
    file.put(ascii("fmt ")).putInt(16).putShort((short) 1).putShort((short) 1);
    file.putInt(rate).putInt(2 * rate).putShort((short) 2);
    file.putShort((short) 16).put(ascii("data")).putInt(2 * seconds * rate);
    for (int i = 0; i < seconds * rate; i++) {
      file.putShort((short) (i / rate));
    }
    return Files.write(Files.createTempFile(folder, "clock", ".wav"), file.array());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
