package io.convoke.server.transcribe;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The samples of a WAV file with 16 bit PCM, mixed to one channel at 16 kHz, as speech recognition
 * needs them. Read from the file on demand.
 */
final class WavReader implements AutoCloseable {
  static final int RATE = 16_000;
  private static final int PCM = 1;
  private static final int EXTENSIBLE = 0xFFFE;

  private final InputStream stream;
  private final int channels;
  private final int rate;
  private final long frames;
  private long framesRead;
  private double position;
  private float before;
  private float after;
  private boolean started;

  private WavReader(InputStream stream, int channels, int rate, long frames) {
    this.stream = stream;
    this.channels = channels;
    this.rate = rate;
    this.frames = frames;
  }

  /** Opens a file; empty when it is not such a WAV file. */
  static Optional<WavReader> open(Path file) throws IOException {
    InputStream stream = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    boolean ours = false;
    try {
      Optional<WavReader> sound = header(stream);
      ours = sound.isPresent();
      return sound;
    } catch (EOFException tooShort) {
      return Optional.empty();
    } finally {
      if (!ours) {
        stream.close();
      }
    }
  }

  /** How long a file is, if it is such a WAV file. */
  static Optional<Double> seconds(Path file) throws IOException {
    Optional<WavReader> sound = open(file);
    if (sound.isEmpty()) {
      return Optional.empty();
    }
    try (WavReader opened = sound.get()) {
      return Optional.of(opened.seconds());
    }
  }

  /** Passes over the beginning; before the first read. */
  void skip(double from) throws IOException {
    long whole = Math.min(frames, Math.round(from * rate));
    stream.skipNBytes(whole * 2 * channels);
    framesRead = whole;
  }

  double seconds() {
    return (double) frames / rate;
  }

  /** Fills a block with samples from -1 to 1; answers how many there were, 0 at the end. */
  int read(float[] block) throws IOException {
    int filled = 0;
    double step = (double) rate / RATE;
    while (filled < block.length) {
      if (!started) {
        started = true;
        before = next();
        after = next();
      }
      while (position >= 1) {
        before = after;
        after = next();
        position -= 1;
      }
      if (Float.isNaN(before)) {
        break;
      }
      block[filled] = Float.isNaN(after) ? before : (float) (before + (after - before) * position);
      filled++;
      position += step;
    }
    return filled;
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }

  /** The next frame as one sample; NaN after the last. */
  private float next() throws IOException {
    if (framesRead == frames) {
      return Float.NaN;
    }
    byte[] frame = stream.readNBytes(2 * channels);
    if (frame.length < 2 * channels) {
      return Float.NaN;
    }
    framesRead++;
    ByteBuffer samples = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
    float sum = 0;
    for (int i = 0; i < channels; i++) {
      sum += samples.getShort();
    }
    return sum / channels / 32_768f;
  }

  private static Optional<WavReader> header(InputStream stream) throws IOException {
    ByteBuffer riff = bytes(stream, 12);
    if (!tag(riff, 0).equals("RIFF") || !tag(riff, 8).equals("WAVE")) {
      return Optional.empty();
    }
    int channels = 0;
    int rate = 0;
    while (true) {
      ByteBuffer chunk = bytes(stream, 8);
      long size = Integer.toUnsignedLong(chunk.getInt(4));
      switch (tag(chunk, 0)) {
        case "fmt " -> {
          ByteBuffer format = bytes(stream, (int) Math.min(size + (size & 1), 1 << 16));
          int kind = Short.toUnsignedInt(format.getShort(0));
          boolean known = (kind == PCM || kind == EXTENSIBLE) && format.getShort(14) == 16;
          channels = known ? format.getShort(2) : 0;
          rate = format.getInt(4);
        }
        case "data" -> {
          boolean readable = channels > 0 && rate > 0;
          return readable
              ? Optional.of(new WavReader(stream, channels, rate, size / 2 / channels))
              : Optional.empty();
        }
        default -> stream.skipNBytes(size + (size & 1));
      }
    }
  }

  private static ByteBuffer bytes(InputStream stream, int count) throws IOException {
    byte[] bytes = stream.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException();
    }
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static String tag(ByteBuffer bytes, int at) {
    byte[] tag = new byte[4];
    bytes.get(at, tag);
    return new String(tag, StandardCharsets.ISO_8859_1);
  }
}
