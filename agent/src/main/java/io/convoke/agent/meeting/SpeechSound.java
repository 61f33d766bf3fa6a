package io.convoke.agent.meeting;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Sound as transcribers take it: 16 kHz, 16 bits, little endian, one channel. No I/O. */
final class SpeechSound {
  static final int RATE = 16_000;

  private static final int WAV_HEADER = 44;

  private SpeechSound() {}

  /** Sound of another rate in that form; the same array if it has it. */
  static byte[] of(byte[] pcm, int sampleRate) {
    if (sampleRate == RATE) {
      return pcm;
    }
    return sampleRate % RATE == 0 ? averaged(pcm, sampleRate / RATE) : picked(pcm, sampleRate);
  }

  /** The greatest distance of a sample from silence. */
  static int loudest(byte[] pcm) {
    int loudest = 0;
    for (int i = 0; i < pcm.length / 2; i++) {
      loudest = Math.max(loudest, Math.abs(sample(pcm, i)));
    }
    return loudest;
  }

  /** The mean power, 1 for the loudest that 16 bits hold. */
  static double power(byte[] pcm) {
    double sum = 0;
    for (int i = 0; i < pcm.length / 2; i++) {
      double sample = sample(pcm, i) / 32_768.0;
      sum += sample * sample;
    }
    return sum / Math.max(1, pcm.length / 2);
  }

  /** The sound behind the header of WAV. */
  static byte[] wav(byte[] pcm) {
    ByteBuffer wav = ByteBuffer.allocate(WAV_HEADER + pcm.length).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer _ = wav.put("RIFF".getBytes(ISO_8859_1)).putInt(WAV_HEADER - 8 + pcm.length);
    ByteBuffer _ = wav.put("WAVEfmt ".getBytes(ISO_8859_1)).putInt(16);
    ByteBuffer _ = wav.putShort((short) 1).putShort((short) 1).putInt(RATE).putInt(2 * RATE);
    ByteBuffer _ = wav.putShort((short) 2).putShort((short) 16);
    ByteBuffer _ = wav.put("data".getBytes(ISO_8859_1)).putInt(pcm.length).put(pcm);
    return wav.array();
  }

  static int sample(byte[] pcm, int index) {
    return (short) ((pcm[2 * index] & 0xff) | (pcm[2 * index + 1] << 8));
  }

  static void put(byte[] pcm, int index, int value) {
    pcm[2 * index] = (byte) value;
    pcm[2 * index + 1] = (byte) (value >> 8);
  }

  /** Averages as many samples as become one. */
  private static byte[] averaged(byte[] pcm, int step) {
    byte[] less = new byte[pcm.length / step / 2 * 2];
    for (int i = 0; i < less.length / 2; i++) {
      int sum = 0;
      for (int j = 0; j < step; j++) {
        sum += sample(pcm, i * step + j);
      }
      put(less, i, sum / step);
    }
    return less;
  }

  /** Takes the sample that was last at each time. */
  private static byte[] picked(byte[] pcm, int sampleRate) {
    byte[] other = new byte[(int) (pcm.length / 2L * RATE / sampleRate) * 2];
    for (int i = 0; i < other.length / 2; i++) {
      put(other, i, sample(pcm, (int) ((long) i * sampleRate / RATE)));
    }
    return other;
  }
}
