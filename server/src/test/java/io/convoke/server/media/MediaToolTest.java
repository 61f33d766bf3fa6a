package io.convoke.server.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.convoke.server.media.MediaTool.MediaResult;
import io.convoke.simulator.audio.MediaEncoder;
import io.convoke.simulator.audio.MediaEncoder.MediaForm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a platform gives becomes 16 kHz, one channel and 16 bits; hostile files do no harm. */
class MediaToolTest {
  private static final int SECONDS = 3;
  private static final MediaTool TOOL = new MediaTool("ffmpeg");

  @TempDir private Path folder;

  @BeforeAll
  static void install() {
    boolean here = MediaEncoder.install();
    if (!here) {
      System.err.println("SKIPPED: no ffmpeg on this machine; install it");
    }
    Assumptions.assumeTrue(here, "ffmpeg is not here and cannot be had");
  }

  @ParameterizedTest
  @EnumSource(MediaForm.class)
  void everyFormatBecomesTheOneThatTranscribersGet(MediaForm form) throws Exception {
    Path file = file(MediaEncoder.encode(tone(), form));
    assertThat(SpeechWav.open(file)).as("not yet in that form").isEmpty();

    SpeechWav wav = ready(speech(TOOL, file));

    assertThat(wav.seconds()).isCloseTo(SECONDS, within(0.15));
    assertThat(crossings(wav)).isCloseTo(200 * SECONDS, within(30));
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactlyInAnyOrder(file, wav.file());
    }
  }

  /**
   * Times of a track are those of the call: it begins late, and has gaps where nothing was sent.
   */
  @Test
  void gapsInATrackBecomeSilenceAndItsLateBeginningDoesNot() throws Exception {
    Path track = folder.resolve("track");
    encode(
        "sine=frequency=200:duration=4",
        "-af",
        "aselect='not(between(t,1,2))'",
        "-c:a",
        "libopus",
        "-output_ts_offset",
        "8.3",
        track);

    assertThat(ready(speech(TOOL, track)).seconds()).isCloseTo(4, within(0.1));
  }

  @Test
  void aFileThatHasTheFormAlreadyNeedsNoFfmpegAndStaysAsItIs() throws Exception {
    Path file = file(tone());
    SpeechWav wav = ready(speech(new MediaTool("no-such-ffmpeg"), file));
    assertThat(wav.file()).isEqualTo(file);
    assertThat(Files.readAllBytes(file)).isEqualTo(tone());
  }

  /** As of a recorder that was killed. */
  @Test
  void aFileWhoseHeaderWasNeverCompletedIsReadToItsEndAndGetsACompleteOne() throws Exception {
    byte[] open = tone();
    Arrays.fill(open, 40, 44, (byte) 0);
    SpeechWav wav = ready(speech(TOOL, file(open)));
    assertThat(wav.seconds()).isEqualTo(SECONDS);
    assertThat(Files.readAllBytes(wav.file())).startsWith(Arrays.copyOf(tone(), 44));
  }

  @Test
  void withoutFfmpegAnyOtherFileFailsWithACodeThatTellsWhatToDo() throws Exception {
    for (byte[] content :
        List.of(
            MediaEncoder.encode(tone(), MediaForm.MP4),
            MediaEncoder.encode(tone(), MediaForm.STEREO_WAV),
            "hello".getBytes(StandardCharsets.UTF_8))) {
      assertThat(failed(speech(new MediaTool("no-such-ffmpeg"), file(content))))
          .startsWith("media_tool_missing: ")
          .contains("CONVOKE_FFMPEG");
    }
    assertThat(new MediaTool(folder.resolve("ffmpeg").toString()).find()).isEmpty();
    assertThat(TOOL.find()).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXTINF:1,\nhttp://127.0.0.1:1/x\n",
        "ffconcat version 1.0\nfile /etc/passwd\n",
        "hello",
        ""
      })
  void aPlaylistIsNoRecording(String content) throws Exception {
    assertThat(failed(speech(TOOL, file(content.getBytes(StandardCharsets.UTF_8)))))
        .startsWith("media_refused: the file is not");
  }

  @Test
  void aDamagedFileIsRefusedWithFfmpegsReasonAndWithoutOurPaths() throws Exception {
    byte[] whole = MediaEncoder.encode(tone(), MediaForm.MP4);
    byte[] half = Arrays.copyOf(whole, whole.length / 2);
    assertThat(failed(speech(TOOL, file(half))))
        .startsWith("media_refused: ffmpeg cannot read the file")
        .doesNotContain(folder.toString());
  }

  @Test
  void aFileWithoutAnAudioTrackIsRefused() throws Exception {
    Path silent = folder.resolve("silent.mp4");
    encode("color=size=64x36:rate=1:duration=1", "-c:v", "mpeg4", "-f", "mp4", silent);
    assertThat(failed(speech(TOOL, silent))).contains("no audio track");
  }

  @Test
  void aConversionThatDoesNotEndIsEndedAndSeesNoSetting() throws Exception {
    Path program = folder.resolve("slow");
    Path seen = folder.resolve("seen");
    var _ = Files.writeString(program, "#!/bin/sh\nenv > " + seen + "\nexec sleep 600\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    MediaTool slow = new MediaTool(program.toString(), Duration.ofMillis(100));
    assertThat(failed(speech(slow, file(MediaEncoder.encode(tone(), MediaForm.OGG)))))
        .startsWith("media_refused: ffmpeg is not done");
    assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
        .noneMatch(process -> process.info().commandLine().orElse("").contains("sleep 600"));
    assertThat(Files.readAllLines(seen).stream().map(line -> line.split("=", 2)[0]))
        .isSubsetOf("PATH", "PWD", "OLDPWD", "SHLVL", "_");
  }

  @Test
  void partsOfAFileAreFilesOfTheSameForm() throws Exception {
    SpeechWav whole = ready(speech(TOOL, file(tone())));
    SpeechWav part = whole.cut(1, 2.5, folder.resolve("part.wav"));
    assertThat(SpeechWav.open(part.file())).contains(part);
    assertThat(part.seconds()).isEqualTo(1.5);
    assertThat(whole.cut(2, 100, folder.resolve("end.wav")).seconds()).isEqualTo(1);
    byte[] all = tone();
    assertThat(Files.readAllBytes(part.file()))
        .endsWith(Arrays.copyOfRange(all, 44 + 32_000, 44 + 80_000));
  }

  private static void encode(String source, Object... more) throws Exception {
    List<String> line = new ArrayList<>(List.of("ffmpeg", "-nostdin", "-loglevel", "error"));
    line.addAll(List.of("-f", "lavfi", "-i", source));
    for (Object argument : more) {
      if (argument instanceof Path && !line.contains("mp4")) {
        line.addAll(List.of("-f", "webm"));
      }
      line.add(argument.toString());
    }
    assertThat(new ProcessBuilder(line).inheritIO().start().waitFor()).isZero();
  }

  private MediaResult speech(MediaTool tool, Path file) throws Exception {
    return tool.speech(file, folder.resolve("speech.wav"), () -> {});
  }

  private static SpeechWav ready(MediaResult result) {
    assertThat(result).isInstanceOf(MediaResult.MediaReady.class);
    return ((MediaResult.MediaReady) result).wav();
  }

  private static String failed(MediaResult result) {
    assertThat(result).isInstanceOf(MediaResult.MediaFailed.class);
    return ((MediaResult.MediaFailed) result).why();
  }

  private Path file(byte[] content) throws IOException {
    return Files.write(folder.resolve("recording"), content);
  }

  /** How often the sound passes zero upwards. */
  private static int crossings(SpeechWav wav) throws IOException {
    ByteBuffer samples =
        ByteBuffer.wrap(Files.readAllBytes(wav.file()))
            .order(ByteOrder.LITTLE_ENDIAN)
            .position((int) wav.dataAt());
    int crossings = 0;
    short before = 1;
    while (samples.remaining() >= 2) {
      short now = samples.getShort();
      crossings += before < 0 && now >= 0 ? 1 : 0;
      before = now;
    }
    return crossings;
  }

  /** Three seconds of 200 Hz, in the form that transcribers get. */
  private static byte[] tone() {
    int bytes = 2 * SECONDS * SpeechWav.RATE;
    ByteBuffer file = ByteBuffer.allocate(44 + bytes).order(ByteOrder.LITTLE_ENDIAN);
    file.put("RIFF".getBytes(StandardCharsets.US_ASCII)).putInt(36 + bytes);
    file.put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII)).putInt(16).putShort((short) 1);
    file.putShort((short) 1).putInt(SpeechWav.RATE).putInt(2 * SpeechWav.RATE);
    file.putShort((short) 2).putShort((short) 16);
    file.put("data".getBytes(StandardCharsets.US_ASCII)).putInt(bytes);
    for (int i = 0; i < SECONDS * SpeechWav.RATE; i++) {
      file.putShort((short) (12_000 * Math.sin(2 * Math.PI * 200 * i / SpeechWav.RATE)));
    }
    return file.array();
  }
}
