package io.convoke.agent.meeting;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A WAV file while it is played: pieces of 10 ms with 48 kHz, 16 bits and one channel. It is read
 * as far as it was played, so that a long speech needs no memory.
 */
final class PlayedSound implements AutoCloseable {
  static final int RATE = 48_000;

  /** Samples of a piece. */
  static final int PIECE = RATE / 100;

  private static final int HEADER = 12;
  private static final int FORMAT = 16;
  private static final int FORMAT_MAX = 1 << 10;
  private static final int PCM = 1;
  private static final int EXTENSIBLE = 0xFFFE;

  private final InputStream wav;
  private final int channels;
  private final int rate;

  /** How far the place that is played next is beyond the sample before it, in parts of RATE. */
  private int beyond;

  private double before;
  private double after;
  private boolean begun;
  private boolean over;

  private PlayedSound(InputStream wav, int channels, int rate) {
    this.wav = wav;
    this.channels = channels;
    this.rate = rate;
  }

  /**
   * Reads the beginning of a file; a program that writes it may not know its length yet.
   *
   * @throws IOException if it is no WAV file with 16 bit PCM; the stream is then closed
   */
  static PlayedSound open(InputStream file) throws IOException {
    InputStream wav = new BufferedInputStream(file);
    boolean ours = false;
    try {
      PlayedSound sound = header(wav);
      ours = true;
      return sound;
    } finally {
      if (!ours) {
        file.close();
      }
    }
  }

  /** The next piece, filled up with silence at the end; empty after the last. */
  Optional<byte[]> next() throws IOException {
    if (!begun) {
      begun = true;
      before = read();
      after = read();
    }
    if (over && Double.isNaN(before)) {
      return Optional.empty();
    }
    byte[] piece = new byte[2 * PIECE];
    for (int i = 0; i < PIECE && !Double.isNaN(before); i++) {
      double sample = Double.isNaN(after) ? before : before + (after - before) * beyond / RATE;
      SpeechSound.put(piece, i, (int) Math.round(sample));
      beyond += rate;
      while (beyond >= RATE && !Double.isNaN(before)) {
        before = after;
        after = read();
        beyond -= RATE;
      }
    }
    return Optional.of(piece);
  }

  @Override
  public void close() {
    try {
      wav.close();
    } catch (IOException gone) {
      over = true;
    }
  }

  /** The next sample, mixed of all channels; NaN after the last. */
  private double read() throws IOException {
    if (over) {
      return Double.NaN;
    }
    byte[] frame = wav.readNBytes(2 * channels);
    if (frame.length < 2 * channels) {
      over = true;
      return Double.NaN;
    }
    double sum = 0;
    for (int i = 0; i < channels; i++) {
      sum += SpeechSound.sample(frame, i);
    }
    return sum / channels;
  }

  private static PlayedSound header(InputStream wav) throws IOException {
    ByteBuffer riff = bytes(wav, HEADER);
    if (!tag(riff, 0).equals("RIFF") || !tag(riff, 8).equals("WAVE")) {
      throw new IOException("no WAV file");
    }
    int channels = 0;
    int rate = 0;
    while (true) {
      ByteBuffer chunk = bytes(wav, 8);
      long size = Integer.toUnsignedLong(chunk.getInt(4));
      switch (tag(chunk, 0)) {
        case "fmt " -> {
          if (size < FORMAT || size > FORMAT_MAX) {
            throw new IOException("no format of a WAV file");
          }
          ByteBuffer format = bytes(wav, (int) (size + (size & 1)));
          int kind = Short.toUnsignedInt(format.getShort(0));
          boolean known = (kind == PCM || kind == EXTENSIBLE) && format.getShort(14) == 16;
          channels = known ? format.getShort(2) : 0;
          rate = format.getInt(4);
        }
        case "data" -> {
          if (channels < 1 || channels > 8 || rate < 1000 || rate > 192_000) {
            throw new IOException("no 16 bit PCM");
          }
          return new PlayedSound(wav, channels, rate);
        }
        default -> wav.skipNBytes(size + (size & 1));
      }
    }
  }

  private static ByteBuffer bytes(InputStream wav, int count) throws IOException {
    byte[] bytes = wav.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("the WAV file ends early");
    }
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static String tag(ByteBuffer bytes, int at) {
    byte[] tag = new byte[4];
    bytes.get(at, tag);
    return new String(tag, StandardCharsets.ISO_8859_1);
  }
}
