package io.convoke.server.recordings;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The audio format of a recording, detected from its first bytes: platforms do not always report
 * it.
 */
enum AudioFormat {
  WAV("audio/wav"),
  MPEG("audio/mpeg"),
  OGG("audio/ogg"),
  WEBM("video/webm"),
  MP4("video/mp4"),
  UNKNOWN("application/octet-stream");

  /** The number of bytes that the detection needs. */
  static final int TELLING = 12;

  private final String mediaType;

  AudioFormat(String mediaType) {
    this.mediaType = mediaType;
  }

  String mediaType() {
    return mediaType;
  }

  static List<String> mediaTypes() {
    return Arrays.stream(values()).map(AudioFormat::mediaType).toList();
  }

  /** Detects the format from the first {@link #TELLING} bytes, or fewer in a shorter file. */
  static AudioFormat of(byte[] beginning) {
    String text = new String(beginning, StandardCharsets.ISO_8859_1);
    if (text.startsWith("RIFF") && text.startsWith("WAVE", 8)) {
      return WAV;
    }
    if (text.startsWith("ID3")
        || text.startsWith("\u00ff\u00fb")
        || text.startsWith("\u00ff\u00f3")) {
      return MPEG;
    }
    if (text.startsWith("OggS")) {
      return OGG;
    }
    if (text.startsWith("\u001aE\u00df\u00a3")) {
      return WEBM;
    }
    return text.startsWith("ftyp", 4) ? MP4 : UNKNOWN;
  }
}
