package io.convoke.server.transcribe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A WAV file as mono at 16 kHz, resampled by {@link WavReader}. */
final class ResampledAudio {
  private ResampledAudio() {}

  static Path to16k(Path from, Path to) throws IOException {
    try (WavReader wavReader = WavReader.open(from).orElseThrow()) {
      float[] samples = new float[(int) (wavReader.seconds() * WavReader.RATE) + WavReader.RATE];
      int count = wavReader.read(samples);
      ByteBuffer file = ByteBuffer.allocate(44 + 2 * count).order(ByteOrder.LITTLE_ENDIAN);
      file.put(ascii("RIFF")).putInt(36 + 2 * count).put(ascii("WAVEfmt ")).putInt(16);
      file.putShort((short) 1)
          .putShort((short) 1)
          .putInt(WavReader.RATE)
          .putInt(2 * WavReader.RATE);
      file.putShort((short) 2).putShort((short) 16).put(ascii("data")).putInt(2 * count);
      for (int i = 0; i < count; i++) {
        file.putShort((short) Math.round(samples[i] * 32_767));
      }
      return Files.write(to, file.array());
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
