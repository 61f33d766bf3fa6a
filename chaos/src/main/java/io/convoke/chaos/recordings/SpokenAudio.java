package io.convoke.chaos.recordings;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The spoken lines of a recording and its audio: a WAV file whose samples are letters, a line in
 * each {@value #BLOCK} bytes. Truncating or duplicating audio truncates or duplicates the
 * transcript. Pure.
 */
final class SpokenAudio {
  private static final int BLOCK = 8192;
  private static final int HEADER = 44;
  private static final int RATE = 16_000;
  private static final int LINES_MIN = 4;
  private static final int LINES_SPREAD = 6;

  private static final List<String> WORDS =
      List.of(
          "quarter", "budget", "customer", "tomorrow", "contract", "perhaps", "number", "again");

  private SpokenAudio() {}

  /** The lines of a recording, each prefixed with the recording's label. */
  static List<String> lines(String label) {
    SplittableRandom random = new SplittableRandom(label.hashCode());
    int number = LINES_MIN + random.nextInt(LINES_SPREAD);
    List<String> lines = new ArrayList<>();
    for (int i = 1; i <= number; i++) {
      StringBuilder line = new StringBuilder(label).append(" line ").append(i);
      for (int word = 0; word < 8; word++) {
        line.append(' ').append(WORDS.get(random.nextInt(WORDS.size())));
      }
      lines.add(line.toString());
    }
    return List.copyOf(lines);
  }

  /** The audio of a recording. */
  static byte[] audio(String label) {
    return audio(lines(label));
  }

  /** The same in parts, each a file of one line. */
  static List<byte[]> parts(String label) {
    return lines(label).stream().map(line -> audio(List.of(line))).toList();
  }

  private static byte[] audio(List<String> lines) {
    int size = lines.size() * BLOCK;
    ByteBuffer out = ByteBuffer.allocate(HEADER + size).order(ByteOrder.LITTLE_ENDIAN);
    out.put(ascii("RIFF")).putInt(HEADER - 8 + size).put(ascii("WAVEfmt "));
    out.putInt(16).putShort((short) 1).putShort((short) 1).putInt(RATE).putInt(2 * RATE);
    out.putShort((short) 2).putShort((short) 16).put(ascii("data")).putInt(size);
    for (String line : lines) {
      byte[] block = new byte[BLOCK];
      Arrays.fill(block, (byte) ' ');
      byte[] text = ascii(line);
      System.arraycopy(text, 0, block, 0, text.length);
      block[BLOCK - 1] = '\n';
      out.put(block);
    }
    return out.array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
