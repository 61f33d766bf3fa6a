package io.convoke.simulator.audio;

import io.convoke.simulator.process.DebianPackages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Encodes sound as platforms deliver it, with {@code ffmpeg}. */
public final class MediaEncoder {
  private static final String PROGRAM = "ffmpeg";
  private static final long SECONDS_MAX = 120;

  private MediaEncoder() {}

  /** A form of a file with sound. */
  public enum MediaForm {
    /** As Daily's cloud recordings: AAC beside a picture, in MP4. */
    MP4("mp4", "-f lavfi -i color=size=64x36:rate=1", "-c:v mpeg4 -c:a aac -b:a 96k -shortest"),
    /** As Daily's raw tracks. */
    WEBM("webm", "", "-c:a libopus -b:a 40k -ar 48000"),
    OGG("ogg", "", "-c:a libopus -b:a 40k -ar 48000"),
    MP3("mp3", "", "-c:a libmp3lame -b:a 64k"),
    /** 44.1 kHz in two channels. */
    STEREO_WAV("wav", "", "-ar 44100 -ac 2"),
    /** As a telephone sounds: 8 kHz and 8 bits. */
    PHONE_WAV("wav", "", "-ar 8000 -c:a pcm_u8");

    private final String muxer;
    private final String inputs;
    private final String codec;

    MediaForm(String muxer, String inputs, String codec) {
      this.muxer = muxer;
      this.inputs = inputs;
      this.codec = codec;
    }

    /** The media type of its files. */
    public String mediaType() {
      return switch (this) {
        case MP4 -> "video/mp4";
        case WEBM -> "video/webm";
        case OGG -> "audio/ogg";
        case MP3 -> "audio/mpeg";
        case STEREO_WAV, PHONE_WAV -> "audio/wav";
      };
    }
  }

  /** Whether the program is installed. */
  public static boolean isHere() {
    return DebianPackages.onPath(PROGRAM).findAny().isPresent();
  }

  /** Installs the program if allowed; returns whether it is installed. */
  public static boolean install() {
    return DebianPackages.ensure(MediaEncoder::isHere, PROGRAM);
  }

  /** A WAV file in another form. */
  public static byte[] encode(byte[] wav, MediaForm form) {
    Path from = temporary("wav");
    Path to = temporary(form.muxer);
    try {
      Files.write(from, wav);
      List<String> line = new ArrayList<>(List.of(PROGRAM, "-nostdin", "-loglevel", "error", "-y"));
      line.addAll(List.of("-i", from.toString()));
      line.addAll(arguments(form.inputs));
      line.addAll(arguments(form.codec));
      line.addAll(List.of("-threads", "1", "-bitexact", "-f", form.muxer, to.toString()));
      Process process =
          new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IllegalStateException("ffmpeg did not encode " + form);
      }
      return Files.readAllBytes(to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      boolean _ = from.toFile().delete();
      boolean _ = to.toFile().delete();
    }
  }

  private static List<String> arguments(String line) {
    return line.isEmpty() ? List.of() : List.of(line.split(" ", -1));
  }

  private static Path temporary(String extension) {
    try {
      return Files.createTempFile("convoke-sim-", "." + extension);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
