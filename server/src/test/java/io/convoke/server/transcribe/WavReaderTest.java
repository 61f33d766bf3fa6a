package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.media.SpeechWav;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The samples that a transcriber is sent. */
class WavReaderTest {
  @TempDir private Path folder;

  @Test
  void samplesAreReadInBlocksToTheirEnd() throws IOException {
    try (WavReader wavReader = new WavReader(wav(0, 16_384, -32_768, 32_767, 1), 0)) {
      float[] block = new float[3];
      assertThat(wavReader.read(block)).isEqualTo(3);
      assertThat(block).containsExactly(0f, 0.5f, -1f);
      assertThat(wavReader.read(block)).isEqualTo(2);
      assertThat(block).startsWith(32_767 / 32_768f, 1 / 32_768f);
      assertThat(wavReader.read(block)).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 16001, 0", "0.5, 8001, 8000", "1, 1, 16000", "2, 0, 0"})
  void whatLiesBeforeIsPassedOver(double from, int count, int first) throws IOException {
    SpeechWav wav = wav(IntStream.range(0, 16_001).toArray());
    try (WavReader wavReader = new WavReader(wav, from)) {
      float[] block = new float[20_000];
      assertThat(wavReader.read(block)).isEqualTo(count);
      assertThat(block[0]).isEqualTo(first / 32_768f);
    }
  }

  @Test
  void itClosesItsFile() throws IOException {
    WavReader wavReader = new WavReader(wav(1), 0);
    wavReader.close();
    assertThatThrownBy(() -> wavReader.read(new float[1])).isInstanceOf(IOException.class);
  }

  /** Samples behind ten other bytes, and four behind them. */
  private SpeechWav wav(int... samples) throws IOException {
    ByteBuffer bytes =
        ByteBuffer.allocate(14 + 2 * samples.length).order(ByteOrder.LITTLE_ENDIAN).position(10);
    for (int sample : samples) {
      ByteBuffer _ = bytes.putShort((short) sample);
    }
    Path file = Files.write(folder.resolve("a.wav"), bytes.array());
    return new SpeechWav(file, 10, 2L * samples.length);
  }
}
