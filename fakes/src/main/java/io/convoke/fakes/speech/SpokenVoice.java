package io.convoke.fakes.speech;

import io.convoke.simulator.process.DebianPackages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A voice of {@code espeak-ng}.
 *
 * @param name as the program knows it
 */
public record SpokenVoice(String name) {
  private static final String PROGRAM = "espeak-ng";
  private static final List<String> NAMES = List.of("en-us", "en-gb", "en-us+f3", "en-gb+m4");
  private static final int SECONDS_MAX = 30;

  /** Bytes before the samples. */
  private static final int HEADER = 44;

  /** One of a few voices that differ, by a number. */
  public static SpokenVoice of(int number) {
    return new SpokenVoice(NAMES.get(Math.floorMod(number, NAMES.size())));
  }

  /** Whether the program is installed; it is installed if that is allowed. */
  public static boolean install() {
    return DebianPackages.ensure(
        () -> DebianPackages.onPath(PROGRAM).findAny().isPresent(), PROGRAM);
  }

  /**
   * A sentence as WAV: 22,050 samples a second of 16 bits, one channel, in base64.
   *
   * @throws IllegalStateException when the program fails
   */
  public String says(String sentence) {
    try {
      Process process =
          new ProcessBuilder(PROGRAM, "--stdout", "-v", name, "-s", "140", "--", sentence)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      byte[] wav = process.getInputStream().readAllBytes();
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException(PROGRAM + " did not speak");
      }
      return Base64.getEncoder().encodeToString(sized(wav));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Puts the sizes into the header, which a program that writes to a pipe does not know. */
  private static byte[] sized(byte[] wav) {
    ByteBuffer header = ByteBuffer.wrap(wav).order(ByteOrder.LITTLE_ENDIAN);
    return header.putInt(4, wav.length - 8).putInt(HEADER - 4, wav.length - HEADER).array();
  }
}
