package io.convoke.server.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.media.Waveform.WaveformTrack;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loudness of a recording over time, and whether a file has pictures. */
class WaveformTest {
  @TempDir private Path folder;

  @Test
  void aPeakIsTheLoudestSampleOfItsPart() throws Exception {
    // 30 s, 1500 parts of 20 ms, 320 samples: loud in the second second, negative at its end
    // and at that of all.
    SpeechWav wav =
        wav(
            "one.wav",
            30,
            at ->
                at == 31_999 || at == 479_999 ? -32_768 : at >= 16_000 && at < 32_000 ? 12_800 : 3);
    Waveform waveform = Waveform.of(List.of(new WaveformTrack(wav, Duration.ZERO)));
    assertThat(waveform.seconds()).isEqualTo(30);
    assertThat(waveform.peaks()).hasSize(1500);
    assertThat(waveform.peaks().subList(0, 50)).containsOnly(0);
    assertThat(waveform.peaks().subList(50, 99)).containsOnly(100);
    assertThat(waveform.peaks().get(99)).isEqualTo(255);
    assertThat(waveform.peaks().subList(100, 1499)).containsOnly(0);
    assertThat(waveform.peaks().get(1499)).isEqualTo(255);
  }

  @Test
  void whatIsBehindTheSoundIsNoSound() throws Exception {
    WaveformTrack track = new WaveformTrack(wav("quiet.wav", 3, _ -> 0), Duration.ZERO);
    assertThat(Waveform.of(List.of(track)).peaks()).containsOnly(0);
  }

  @Test
  void audioThatBecomesShorterIsNotDrawn() throws Exception {
    SpeechWav wav = wav("cut.wav", 1, _ -> 0);
    SpeechWav longer = new SpeechWav(wav.file(), wav.dataAt(), wav.dataBytes() + 6);
    assertThatThrownBy(() -> Waveform.of(List.of(new WaveformTrack(longer, Duration.ZERO))))
        .isInstanceOf(EOFException.class);
  }

  @Test
  void tracksAreDrawnTogetherAtTheirTimes() throws Exception {
    SpeechWav first = wav("first.wav", 1, _ -> 12_800);
    SpeechWav second = wav("second.wav", 1, _ -> 25_600);
    Waveform waveform =
        Waveform.of(
            List.of(
                new WaveformTrack(first, Duration.ZERO),
                new WaveformTrack(second, Duration.ofMillis(2500))));
    assertThat(waveform.seconds()).isEqualTo(3.5);
    assertThat(waveform.peaks()).hasSize(175);
    assertThat(waveform.peaks().subList(0, 50)).containsOnly(100);
    assertThat(waveform.peaks().subList(50, 125)).containsOnly(0);
    assertThat(waveform.peaks().subList(125, 175)).containsOnly(200);
    Waveform none =
        Waveform.of(List.of(new WaveformTrack(wav("no.wav", 0, _ -> 0), Duration.ZERO)));
    assertThat(none.peaks()).containsExactly(0);
  }

  @Test
  void picturesAreFoundInMp4AndWebM() throws Exception {
    assertThat(Waveform.hasPictures(mp4("soun", false))).isFalse();
    assertThat(Waveform.hasPictures(mp4("vide", false))).isTrue();
    assertThat(Waveform.hasPictures(mp4("vide", true))).isTrue();
    assertThat(Waveform.hasPictures(file("a.webm", "\u001aE\u00df\u00a3....A_OPUS"))).isFalse();
    assertThat(Waveform.hasPictures(file("v.webm", "\u001aE\u00df\u00a3....V_VP8"))).isTrue();
    assertThat(Waveform.hasPictures(file("short.mp4", "\0\0\0\u0002ftyp"))).isFalse();
    assertThat(Waveform.hasPictures(file("empty", ""))).isFalse();
    String endless = "\0\0\0\u0001mdat\u007f" + "\u00ff".repeat(7);
    assertThat(Waveform.hasPictures(file("endless.mp4", "\0\0\0\u000cftypisom" + endless)))
        .isFalse();
    assertThat(Waveform.hasPictures(file("words", "hdlr00000000vide"))).isFalse();
  }

  @Test
  void boxesOfAnMp4AreReadToItsEnd() throws Exception {
    String media = "\0\0\0\u000cftypisom\0\0\0\u0008free";
    String index = "moov\0\0\0\u0014hdlr00000000vide";
    assertThat(Waveform.hasPictures(file("whole.mp4", media + "\0\0\0\u001c" + index))).isTrue();
    assertThat(Waveform.hasPictures(file("open.mp4", media + "\0\0\0\0" + index))).isTrue();
    assertThat(Waveform.hasPictures(file("no-index.mp4", media))).isFalse();
    assertThat(Waveform.hasPictures(file("tail.mp4", media + "\0\0\0"))).isFalse();
    assertThat(Waveform.hasPictures(file("cut.mp4", media + "\0\0\0\u001cmdat"))).isFalse();
  }

  /** A file with its index behind the media, whose box may have a length of 64 bits. */
  private Path mp4(String handler, boolean large) throws IOException {
    String media = "hdlr00000000vide";
    String mdat =
        large
            ? "\0\0\0\u0001mdat\0\0\0\0\0\0\0" + (char) (16 + media.length()) + media
            : "\0\0\0" + (char) (8 + media.length()) + "mdat" + media;
    String hdlr = "\0\0\0\u0018hdlr00000000" + handler + "....";
    return file(
        "a.mp4",
        "\0\0\0\u000cftypisom" + mdat + "\0\0\0" + (char) (8 + hdlr.length()) + "moov" + hdlr);
  }

  private Path file(String name, String content) throws IOException {
    return Files.write(folder.resolve(name), content.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** A file with something loud behind its sound. */
  private SpeechWav wav(String name, int seconds, IntUnaryOperator sampleAt) throws IOException {
    int samples = seconds * SpeechWav.RATE;
    ByteBuffer bytes = ByteBuffer.allocate(14 + 2 * samples).order(ByteOrder.LITTLE_ENDIAN);
    bytes.position(10);
    for (int i = 0; i < samples; i++) {
      bytes.putShort((short) sampleAt.applyAsInt(i));
    }
    bytes.putInt(0x7fff7fff);
    return new SpeechWav(Files.write(folder.resolve(name), bytes.array()), 10, 2L * samples);
  }
}
