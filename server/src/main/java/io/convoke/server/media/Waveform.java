package io.convoke.server.media;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * How loud a recording is over time, for a drawing.
 *
 * @param seconds that all peaks together span
 * @param peaks of parts of equal length, each the loudest sample from 0 to 255
 */
public record Waveform(double seconds, List<Integer> peaks) {
  /** Parts of a recording; a screen has no more columns. */
  private static final int PARTS = 1_500;

  /** Parts are not shorter than that. */
  private static final double PART_SECONDS_MIN = 0.02;

  private static final int LOUDEST = 255;

  /** Bytes that are read at once. */
  private static final int BLOCK = 1 << 16;

  /** The shortest header of a box. */
  private static final int BOX_MIN = 8;

  /** A longer index of an MP4 file is not read. */
  private static final long MOOV_MAX = 64L << 20;

  public Waveform {
    peaks = List.copyOf(peaks);
  }

  /**
   * The sound of one track.
   *
   * @param offset when it began, after the recording did
   */
  public record WaveformTrack(SpeechWav wav, Duration offset) {
    private double begin() {
      return offset.toMillis() / 1000.0;
    }
  }

  /** The waveform of all tracks together. */
  public static Waveform of(List<WaveformTrack> tracks) throws IOException {
    double seconds =
        tracks.stream().mapToDouble(track -> track.begin() + track.wav().seconds()).max().orElse(0);
    int parts = (int) Math.clamp(seconds / PART_SECONDS_MIN, 1, PARTS);
    int[] peaks = new int[parts];
    for (WaveformTrack track : tracks) {
      add(track, seconds / parts, peaks);
    }
    return new Waveform(seconds, java.util.Arrays.stream(peaks).boxed().toList());
  }

  private static void add(WaveformTrack track, double partSeconds, int[] peaks) throws IOException {
    try (FileChannel file = FileChannel.open(track.wav().file(), StandardOpenOption.READ)) {
      long samples = track.wav().dataBytes() / 2;
      long at = 0;
      while (at < samples) {
        int length = (int) Math.min(BLOCK, 2 * (samples - at));
        byte[] block = bytes(file, track.wav().dataAt() + 2 * at, length);
        if (block.length < length) {
          throw new EOFException("the audio became shorter while it was read");
        }
        ByteBuffer sound = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        while (sound.hasRemaining()) {
          int part = (int) ((track.begin() + (double) at / SpeechWav.RATE) / partSeconds);
          int loudness = Math.min(LOUDEST, Math.abs(sound.getShort()) >> 7);
          peaks[part] = Math.max(peaks[part], loudness);
          at++;
        }
      }
    }
  }

  /** Whether a file has pictures: an MP4 with a video track, or a WebM with a video codec. */
  public static boolean hasPictures(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return switch (MediaFormat.of(bytes(channel, 0, MediaFormat.TELLING))) {
        case MP4 -> mp4HasPictures(channel);
        case WEBM ->
            new String(bytes(channel, 0, BLOCK), StandardCharsets.ISO_8859_1)
                .matches("(?s).*V_(?:VP8|VP9|AV1|MPEG4).*");
        case WAV, MPEG, OGG, UNKNOWN -> false;
      };
    }
  }

  /** The handler of a track is in its {@code hdlr} box, in the file's {@code moov}. */
  private static boolean mp4HasPictures(FileChannel channel) throws IOException {
    long left = channel.size();
    while (left >= BOX_MIN) {
      long at = channel.size() - left;
      ByteBuffer head = ByteBuffer.wrap(bytes(channel, at, 16));
      long size = Integer.toUnsignedLong(head.getInt(0));
      String type = new String(head.array(), 4, 4, StandardCharsets.ISO_8859_1);
      if (size == 1 && head.capacity() == 16) {
        size = head.getLong(8);
      }
      size = size == 0 ? left : size;
      if (size < BOX_MIN) {
        return false;
      }
      if (type.equals("moov")) {
        String box =
            new String(
                bytes(channel, at, (int) Math.min(size, MOOV_MAX)), StandardCharsets.ISO_8859_1);
        return box.matches("(?s).*hdlr.{8}vide.*");
      }
      left -= size;
    }
    return false;
  }

  /** The bytes from there on, fewer at the end of the file. */
  private static byte[] bytes(FileChannel channel, long at, int most) throws IOException {
    return Channels.newInputStream(channel.position(at)).readNBytes(most);
  }
}
