package io.convoke.server.media;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The format of a file with sound, detected from its first bytes: platforms do not always report
 * it, and names of files may be wrong.
 */
public enum MediaFormat {
  WAV("audio/wav", "wav"),
  MPEG("audio/mpeg", "mp3"),
  OGG("audio/ogg", "ogg"),
  WEBM("video/webm", "matroska"),
  MP4("video/mp4", "mov"),
  UNKNOWN("application/octet-stream", "");

  /** The number of bytes that the detection needs. */
  public static final int TELLING = 12;

  private final String mediaType;
  private final String demuxer;

  MediaFormat(String mediaType, String demuxer) {
    this.mediaType = mediaType;
    this.demuxer = demuxer;
  }

  public String mediaType() {
    return mediaType;
  }

  public static List<String> mediaTypes() {
    return Arrays.stream(values()).map(MediaFormat::mediaType).toList();
  }

  /** The name by which ffmpeg reads it; absent where it must not be read at all. */
  Optional<String> demuxer() {
    return Optional.of(demuxer).filter(name -> !name.isEmpty());
  }

  /** Detects the format from the first {@link #TELLING} bytes, or fewer in a shorter file. */
  public static MediaFormat of(byte[] beginning) {
    String text = new String(beginning, StandardCharsets.ISO_8859_1);
    if (text.startsWith("RIFF") && text.startsWith("WAVE", 8)) {
      return WAV;
    }
    // A frame of MPEG audio of layer III begins with eleven bits that are set.
    boolean frame =
        beginning.length > 1 && text.charAt(0) == 0xff && (text.charAt(1) & 0xe6) == 0xe2;
    if (text.startsWith("ID3") || frame) {
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
