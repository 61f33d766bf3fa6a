package io.convoke.server.transcribe;

import io.convoke.server.media.SpeechWav;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The samples of a file as speech recognition takes them, read on demand. */
final class WavReader implements AutoCloseable {
  private final InputStream stream;

  /** Bytes of samples that are still to be read. */
  private long left;

  /** Opens a file at this second; at its end if that is before. */
  WavReader(SpeechWav wav, double from) throws IOException {
    long passed = Math.min(wav.dataBytes(), 2 * Math.round(from * SpeechWav.RATE));
    this.left = wav.dataBytes() - passed;
    // No channel: an interrupt closes one, and its read throws a ClosedByInterruptException then.
    this.stream = new FileInputStream(wav.file().toFile());
    stream.skipNBytes(wav.dataAt() + passed);
  }

  /** Fills a block with samples from -1 to 1; answers how many there were, 0 at the end. */
  int read(float[] block) throws IOException {
    byte[] bytes = stream.readNBytes((int) Math.min(2L * block.length, left));
    left -= bytes.length;
    ByteBuffer samples = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int count = bytes.length / 2;
    for (int i = 0; i < count; i++) {
      block[i] = samples.getShort() / 32_768f;
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
