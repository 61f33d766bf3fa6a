package io.convoke.server.media;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A WAV file of the one form that transcribers get: PCM of 16 bits, 16 kHz, one channel.
 *
 * @param dataAt where its samples begin, in bytes
 * @param dataBytes of samples, as far as they are in the file
 */
public record SpeechWav(Path file, long dataAt, long dataBytes) {
  /** Samples in a second. */
  public static final int RATE = 16_000;

  private static final int BYTES_PER_SECOND = 2 * RATE;
  private static final int HEADER = 44;
  private static final int PCM = 1;
  private static final int FORMAT_MAX = 1 << 16;

  /**
   * Reads the header; empty when the file has another form, or a header that was never completed:
   * transcribers find no sound in it, and ffmpeg reads it to its end.
   */
  public static Optional<SpeechWav> open(Path file) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new java.io.BufferedInputStream(Files.newInputStream(file)))) {
      ByteBuffer riff = bytes(in, 12);
      if (!tag(riff, 0).equals("RIFF") || !tag(riff, 8).equals("WAVE")) {
        return Optional.empty();
      }
      long at = 12;
      boolean conforming = false;
      while (true) {
        ByteBuffer chunk = bytes(in, 8);
        long size = Integer.toUnsignedLong(chunk.getInt(4));
        at += 8;
        if (tag(chunk, 0).equals("data")) {
          long there = Math.max(0, Files.size(file) - at);
          boolean complete = size > 0 || there == 0;
          return conforming && complete
              ? Optional.of(new SpeechWav(file, at, Math.min(size, there) & ~1L))
              : Optional.empty();
        }
        long padded = size + (size & 1);
        if (tag(chunk, 0).equals("fmt ")) {
          if (size < 16 || size > FORMAT_MAX) {
            return Optional.empty();
          }
          conforming = conforms(bytes(in, (int) padded));
        } else {
          in.skipNBytes(padded);
        }
        at += padded;
      }
    } catch (EOFException tooShort) {
      return Optional.empty();
    }
  }

  /** How long it is. */
  public double seconds() {
    return (double) dataBytes / BYTES_PER_SECOND;
  }

  /**
   * Writes a part of it as a file of the same form.
   *
   * @param from seconds after its beginning
   * @param to seconds after its beginning, or its end if that is before
   */
  public SpeechWav cut(double from, double to, Path target) throws IOException {
    long begin = Math.min(dataBytes, 2 * Math.round(from * RATE));
    long end = Math.min(dataBytes, 2 * Math.round(to * RATE));
    int length = Math.toIntExact(Math.max(0, end - begin));
    try (FileChannel source = FileChannel.open(file, StandardOpenOption.READ);
        OutputStream out = Files.newOutputStream(target)) {
      out.write(header(length));
      InputStream samples = Channels.newInputStream(source.position(dataAt + begin));
      byte[] buffer = new byte[1 << 16];
      int left = length;
      while (left > 0) {
        int read = samples.readNBytes(buffer, 0, Math.min(buffer.length, left));
        if (read == 0) {
          throw new EOFException("the audio became shorter while it was read");
        }
        out.write(buffer, 0, read);
        left -= read;
      }
    }
    return new SpeechWav(target, HEADER, length);
  }

  private static boolean conforms(ByteBuffer format) {
    return Short.toUnsignedInt(format.getShort(0)) == PCM
        && format.getShort(2) == 1
        && format.getInt(4) == RATE
        && format.getShort(14) == 16;
  }

  private static byte[] header(int dataBytes) {
    return ByteBuffer.allocate(HEADER)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put("RIFF".getBytes(StandardCharsets.US_ASCII))
        .putInt(HEADER - 8 + dataBytes)
        .put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII))
        .putInt(16)
        .putShort((short) PCM)
        .putShort((short) 1)
        .putInt(RATE)
        .putInt(BYTES_PER_SECOND)
        .putShort((short) 2)
        .putShort((short) 16)
        .put("data".getBytes(StandardCharsets.US_ASCII))
        .putInt(dataBytes)
        .array();
  }

  private static ByteBuffer bytes(DataInputStream in, int count) throws IOException {
    byte[] bytes = new byte[count];
    in.readFully(bytes);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static String tag(ByteBuffer bytes, int at) {
    byte[] tag = new byte[4];
    bytes.get(at, tag);
    return new String(tag, StandardCharsets.ISO_8859_1);
  }
}
