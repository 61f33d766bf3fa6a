package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever rate and channels a WAV file has, its samples are mono at 16 kHz. */
class WavReaderTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"16000,1", "44100,2", "8000,1", "48000,1"})
  void everyRateBecomesSixteenThousand(int rate, int channels) throws IOException {
    try (WavReader wavReader =
        WavReader.open(TestWav.tone(folder, 1.5, rate, channels)).orElseThrow()) {
      assertThat(wavReader.seconds()).isCloseTo(1.5, within(0.001));
      float[] block = new float[40_000];
      int count = wavReader.read(block);
      assertThat(count).isBetween(23_990, 24_010);
      // A tone of 200 Hz passes zero upwards 200 times a second.
      int crossings = 0;
      for (int i = 1; i < count; i++) {
        crossings += block[i - 1] < 0 && block[i] >= 0 ? 1 : 0;
      }
      assertThat(crossings).isBetween(298, 302);
      assertThat(wavReader.read(block)).isZero();
    }
  }

  @Test
  void whatIsNoWavFileIsNotOpened() throws IOException {
    Path text = Files.writeString(folder.resolve("a.wav"), "RIFFhello");
    assertThat(WavReader.open(text)).isEmpty();
    assertThat(WavReader.open(Files.writeString(folder.resolve("b.wav"), "x".repeat(100))))
        .isEmpty();
  }
}
