package io.convoke.server.platform.janus;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.janus.MjrRecording;
import io.convoke.fakes.janus.OggPackets;
import io.convoke.server.platform.janus.MjrFile.MjrHeader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From what Janus records to a file that programs play, without a program of Janus. */
class OpusOggStreamTest {
  private static final Instant CREATED = Instant.parse("2026-03-02T09:00:00.000001Z");
  private static final Instant FIRST = CREATED.plusMillis(250);

  /** 20 ms. */
  private static final int SAMPLES = 960;

  private static final byte TOC = (byte) 0xf8;
  private static final String SILENCE = "f8 ff fe";

  @TempDir private Path folder;

  private static MjrRecording recording() {
    return MjrRecording.opus(CREATED, FIRST, "");
  }

  /** A packet of 20 ms whose second byte tells which it is. */
  private static MjrRecording sound(MjrRecording recording, int number) {
    return recording.packet(20L * number, number, SAMPLES * number, TOC, (byte) number);
  }

  private byte[] ogg(byte[] mjr) throws IOException {
    Path path = Files.write(folder.resolve("x.mjr"), mjr);
    MjrFile file = MjrFile.open(path);
    MjrHeader header = file.header().orElseThrow();
    try (OpusOggStream stream = new OpusOggStream(file, header)) {
      return stream.readAllBytes();
    }
  }

  private List<String> packets(MjrRecording recording) throws IOException {
    return OggPackets.of(ogg(recording.bytes())).packets().stream()
        .map(OpusOggStreamTest::hex)
        .toList();
  }

  private static String hex(byte[] bytes) {
    return HexFormat.ofDelimiter(" ").formatHex(bytes);
  }

  private static String named(int number) {
    return hex(new byte[] {TOC, (byte) number});
  }

  @Test
  void aHeaderTellsWhenTheFirstSoundCame() throws Exception {
    Path path = Files.write(folder.resolve("a.mjr"), sound(recording(), 0).bytes());
    assertThat(MjrFile.header(path))
        .contains(new MjrHeader(true, "opus", false, CREATED, FIRST, -1));
    for (byte[] none :
        List.of(
            "MJR00002".getBytes(StandardCharsets.US_ASCII),
            "MJR00001xx".getBytes(StandardCharsets.US_ASCII),
            new byte[0],
            Arrays.copyOf(recording().bytes(), 30))) {
      assertThat(MjrFile.header(Files.write(path, none))).isEmpty();
    }
  }

  @Test
  void packetsAreInTheirOrderOnceEach() throws Exception {
    MjrRecording recording = recording();
    for (int number : List.of(0, 2, 1, 2, 3)) {
      MjrRecording _ = sound(recording, number);
    }
    assertThat(packets(recording)).containsExactly(named(0), named(1), named(2), named(3));
  }

  @Test
  void aPauseIsSilenceSoThatLaterWordsHaveTheirTime() throws Exception {
    MjrRecording recording = sound(recording(), 0).packet(120, 1, 6 * SAMPLES, TOC, (byte) 1);
    assertThat(packets(recording))
        .containsExactly(named(0), SILENCE, SILENCE, SILENCE, SILENCE, SILENCE, named(1));
    assertThat(OggPackets.of(ogg(recording.bytes())).samples()).isEqualTo(7L * SAMPLES);
  }

  @Test
  void numbersAndTimestampsWrapAround() throws Exception {
    int start = -SAMPLES;
    MjrRecording recording =
        recording()
            .packet(0, 65_535, start, TOC, (byte) 1)
            .packet(20, 0, start + SAMPLES, TOC, (byte) 2)
            .packet(40, 1, start + 2 * SAMPLES, TOC, (byte) 3);
    assertThat(packets(recording)).containsExactly(named(1), named(2), named(3));
  }

  @Test
  void timestampsThatJumpAreNotBelieved() throws Exception {
    MjrRecording recording =
        sound(recording(), 0)
            .packet(40, 1, 1_000_000_000, TOC, (byte) 1)
            .packet(60, 2, 1_000_000_000 + SAMPLES, TOC, (byte) 2);
    assertThat(packets(recording)).containsExactly(named(0), SILENCE, named(1), named(2));
  }

  @Test
  void ofRepeatedSoundTheNewBlockIsTaken() throws Exception {
    MjrRecording recording = MjrRecording.opus(CREATED, FIRST, ", \"or\": 63");
    // The header of a block of two bytes that came before, that of the new one, and both.
    byte[] red = {(byte) (0x80 | 111), 0, 0, 2, 111, TOC, 0, TOC, 1};
    assertThat(packets(recording.packet(0, 63, 0, 0, red))).containsExactly(named(1));
  }

  @Tag("nightly")
  @Test
  void theFileOfAJanusThatWasKilledEndsWithItsLastWholePacket() throws Exception {
    MjrRecording recording = recording();
    for (int number = 0; number < 120; number++) {
      MjrRecording _ = sound(recording, number);
    }
    byte[] whole = recording.bytes();
    byte[] cut = Arrays.copyOf(whole, whole.length - 3);
    assertThat(OggPackets.of(ogg(cut)).packets()).hasSize(119);
    assertThat(ogg(cut)).isEqualTo(ogg(cut));
    // Whatever a hostile file contains, it is no endless one.
    byte[] hostile = sound(recording(), 0).packet(0xFFFFFFFFL, 1, 5, TOC, (byte) 1).bytes();
    assertThat(OggPackets.of(ogg(hostile)).samples() / 48_000)
        .isBetween(0L, OpusOggStream.LONGEST.plus(Duration.ofMinutes(1)).toSeconds());
  }
}
