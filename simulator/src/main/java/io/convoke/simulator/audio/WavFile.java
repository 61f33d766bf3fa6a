package io.convoke.simulator.audio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** WAV files of one kind: 16 kHz, 16 bit, one channel. */
final class WavFile {

  static final int RATE = 16_000;
  private static final int BYTES_PER_SECOND = 2 * RATE;
  private static final int HEADER = 44;

  private WavFile() {}

  static byte[] file(short[] samples) {
    ByteBuffer out =
        ByteBuffer.allocate(HEADER + 2 * samples.length).order(ByteOrder.LITTLE_ENDIAN);
    out.put(ascii("RIFF")).putInt(36 + 2 * samples.length).put(ascii("WAVEfmt "));
    out.putInt(16).putShort((short) 1).putShort((short) 1).putInt(RATE).putInt(BYTES_PER_SECOND);
    out.putShort((short) 2).putShort((short) 16).put(ascii("data")).putInt(2 * samples.length);
    for (short sample : samples) {
      out.putShort(sample);
    }
    return out.array();
  }

  /** The samples of a 16-bit mono file, resampled to our rate; absent for other files. */
  static Optional<short[]> samples(byte[] file) {
    if (file.length < HEADER) {
      return Optional.empty();
    }
    ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    int rate = in.getInt(24);
    if (in.getShort(22) != 1 || in.getShort(34) != 16 || rate <= 0) {
      return Optional.empty();
    }
    int count = (file.length - HEADER) / 2;
    short[] resampled = new short[(int) ((long) count * RATE / rate)];
    for (int i = 0; i < resampled.length; i++) {
      double place = (double) i * rate / RATE;
      int before = (int) Math.min(count - 1.0, place);
      int after = Math.min(count - 1, before + 1);
      double share = place - before;
      resampled[i] =
          (short)
              Math.round(
                  in.getShort(HEADER + 2 * before) * (1 - share)
                      + in.getShort(HEADER + 2 * after) * share);
    }
    return Optional.of(resampled);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
