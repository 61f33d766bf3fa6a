package io.convoke.server.platform.janus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.fakes.janus.MjrRecording;
import io.convoke.fakes.janus.OggPackets;
import io.convoke.server.platform.janus.MjrFile.MjrHeader;
import java.io.ByteArrayOutputStream;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** A packet of 20 ms and so many bytes. */
  private static byte[] large(int size) {
    return Arrays.copyOf(new byte[] {TOC}, size);
  }

  private OpusOggStream stream(byte[] mjr) throws IOException {
    MjrFile file = MjrFile.open(Files.write(folder.resolve("x.mjr"), mjr));
    return new OpusOggStream(file, file.header().orElseThrow());
  }

  private byte[] ogg(byte[] mjr) throws IOException {
    try (OpusOggStream stream = stream(mjr)) {
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
    MjrRecording _ = recording.packet(80, 0, 4 * SAMPLES, TOC, (byte) 9);
    assertThat(packets(recording)).containsExactly(named(0), named(1), named(2), named(3));
  }

  @Test
  void aPacketMayComeBehindFiftyThatFollowItAndNoMore() throws Exception {
    assertThat(packets(late(50)).get(1)).isEqualTo(named(1));
    assertThat(packets(late(51)).get(1)).isEqualTo(SILENCE);
  }

  /** Packet 1 comes behind so many that follow it. */
  private static MjrRecording late(int others) {
    MjrRecording recording = sound(recording(), 0);
    for (int number = 2; number < others + 2; number++) {
      MjrRecording _ = sound(recording, number);
    }
    return sound(recording, 1);
  }

  @ParameterizedTest
  @CsvSource({"0, f8 ff fe", "1, f8 09"})
  void soundOfATimeThatHasSoundIsDropped(int timestamp, String second) throws Exception {
    MjrRecording recording =
        sound(sound(recording(), 0).packet(20, 1, timestamp, TOC, (byte) 9), 2);
    assertThat(packets(recording)).containsExactly(named(0), second, named(2));
  }

  @Test
  void theFirstSoundHasItsTimeToo() throws Exception {
    MjrRecording recording = recording().packet(40, 0, 5000, TOC, (byte) 1);
    assertThat(packets(recording)).containsExactly(SILENCE, SILENCE, named(1));
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

  @ParameterizedTest
  @CsvSource({"480000, 481920", "480001, 1920"})
  void aTimestampIsBelievedUpToTenSecondsFromItsArrival(int ahead, long samples) throws Exception {
    MjrRecording recording = sound(recording(), 0).packet(20, 1, SAMPLES + ahead, TOC, (byte) 1);
    assertThat(OggPackets.of(ogg(recording.bytes())).samples()).isEqualTo(samples);
  }

  @ParameterizedTest
  @CsvSource({"8000, 8000", "8001, 3"})
  void aPacketThatIsTooLargeForOpusIsSilence(int size, int heard) throws Exception {
    MjrRecording recording = sound(sound(recording(), 0).packet(20, 1, SAMPLES, large(size)), 2);
    assertThat(OggPackets.of(ogg(recording.bytes())).packets().get(1)).hasSize(heard);
  }

  /** RFC 6716, 3.1: five bits of configuration, one of channels, two of the number of frames. */
  @ParameterizedTest
  @CsvSource({
    "00, 480",
    "08, 960",
    "10, 1920",
    "18, 2880",
    "58, 2880",
    "60, 480",
    "68, 960",
    "70, 480",
    "78, 960",
    "80, 120",
    "88, 240",
    "90, 480",
    "98, 960",
    "f8, 960",
    "f9, 1920",
    "fa, 1920",
    "fb, 0",
    "fb 82, 1920",
    "03 03, 1440"
  })
  void aPacketTellsHowLongItLasts(String packet, int samples) {
    byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(packet);
    assertThat(OpusOggStream.samples(bytes)).isEqualTo(samples);
  }

  @Test
  void aPageHasUpToFiftyPacketsOr255Segments() throws Exception {
    assertThat(packetsOfAPage(2)).isEqualTo(50);
    // Sixteen segments of 255 bytes, and one of none that ends the packet.
    assertThat(packetsOfAPage(16 * 255)).isEqualTo(15);
  }

  /** How many packets of that size are in the page behind the headers, which comes before all. */
  private int packetsOfAPage(int size) throws IOException {
    MjrRecording recording = recording();
    for (int number = 0; number < 60; number++) {
      MjrRecording _ = recording.packet(20L * number, number, SAMPLES * number, large(size));
    }
    try (OpusOggStream stream = stream(recording.bytes())) {
      byte[] read = new byte[1 << 17];
      int headers = stream.read(read);
      int page = stream.read(read, headers, read.length - headers);
      return OggPackets.of(Arrays.copyOf(read, headers + page)).packets().size();
    }
  }

  @Test
  void aTrackHasADayAtMost() throws Exception {
    int seconds = (int) OpusOggStream.LONGEST.toSeconds();
    byte[] fiftyFrames = {(byte) 0xfb, 50};
    MjrRecording recording = recording();
    for (int number = 0; number < seconds + 2; number++) {
      MjrRecording _ = recording.packet(1000L * number, number, 48_000 * number, fiftyFrames);
    }
    assertThat(OggPackets.of(ogg(recording.bytes())).samples()).isEqualTo(48_000L * seconds);
  }

  @Test
  void byteByByteItIsTheSame() throws Exception {
    byte[] mjr = sound(recording(), 0).bytes();
    byte[] whole = ogg(mjr);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OpusOggStream stream = stream(mjr)) {
      for (int one = stream.read(); one >= 0; one = stream.read()) {
        bytes.write(one);
      }
    }
    assertThat(bytes.toByteArray()).isEqualTo(whole);
  }

  @Test
  void itsFileIsClosedWithIt() throws Exception {
    OpusOggStream stream = stream(sound(recording(), 0).bytes());
    stream.close();
    assertThatThrownBy(stream::readAllBytes).isInstanceOf(IOException.class);
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
