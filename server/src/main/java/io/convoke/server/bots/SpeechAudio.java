package io.convoke.server.bots;

import io.convoke.server.http.Problem;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Sound that a bot is to play: a WAV file of 16 bit PCM, with one or two channels. */
@SuppressWarnings("ArrayRecordComponent") // handed through once, never compared
record SpeechAudio(byte[] wav) {
  /** Bytes of a file at most: more than ten seconds at 48 kHz, half a minute at 16 kHz. */
  static final int MAX = 1 << 20;

  /** Characters that such a file has in base64. */
  static final int TEXT_MAX = (MAX + 2) / 3 * 4;

  private static final String FIELD = "audio_base64";
  private static final int HEADER = 12;
  private static final int CHUNK_HEADER = 8;
  private static final int FORMAT = 16;
  private static final int PCM = 1;
  private static final int EXTENSIBLE = 0xFFFE;
  private static final int RATE_MIN = 8_000;
  private static final int RATE_MAX = 48_000;

  /**
   * Reads base64 text.
   *
   * @throws Problem 400 for what is no such file
   */
  static SpeechAudio of(String base64) {
    byte[] wav;
    try {
      wav = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException _) {
      throw Problem.badRequest(FIELD, "is not base64");
    }
    if (wav.length > MAX) {
      throw Problem.badRequest(FIELD, "is more than " + MAX + " bytes");
    }
    if (!playable(ByteBuffer.wrap(wav).order(ByteOrder.LITTLE_ENDIAN))) {
      throw Problem.badRequest(
          FIELD, "is not a WAV file with 16 bit PCM, one or two channels and 8,000 to 48,000 Hz");
    }
    return new SpeechAudio(wav);
  }

  private static boolean playable(ByteBuffer file) {
    if (file.limit() < HEADER || !tag(file, 0).equals("RIFF") || !tag(file, 8).equals("WAVE")) {
      return false;
    }
    boolean known = false;
    long at = HEADER;
    while (at + CHUNK_HEADER <= file.limit()) {
      int here = (int) at;
      int content = here + CHUNK_HEADER;
      long size = Integer.toUnsignedLong(file.getInt(here + 4));
      switch (tag(file, here)) {
        case "fmt " -> known = content + FORMAT <= file.limit() && known(file, content);
        case "data" -> {
          return known && size > 1 && file.limit() - content > 1;
        }
        default -> {}
      }
      at = content + size + (size & 1);
    }
    return false;
  }

  private static boolean known(ByteBuffer file, int at) {
    int kind = Short.toUnsignedInt(file.getShort(at));
    int channels = file.getShort(at + 2);
    int rate = file.getInt(at + 4);
    return (kind == PCM || kind == EXTENSIBLE)
        && (channels == 1 || channels == 2)
        && rate >= RATE_MIN
        && rate <= RATE_MAX
        && file.getShort(at + 14) == 16;
  }

  private static String tag(ByteBuffer file, int at) {
    byte[] tag = new byte[4];
    file.get(at, tag);
    return new String(tag, StandardCharsets.ISO_8859_1);
  }
}
