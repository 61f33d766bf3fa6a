package io.convoke.agent.meeting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.CommandRefusedException;
import io.convoke.agent.SpeakCommand.SpeakAudio;
import io.convoke.agent.SpeakCommand.SpeakText;
import io.convoke.agent.meeting.MeetingAudio.SoundSink;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a bot says and writes, without a network and without a synthesizer of its own. */
class MeetingTalkTest {
  private static final int SOON_S = 20;

  /** Pieces of silence behind a speech. */
  private static final int PAUSE = 30;

  @TempDir private Path folder;

  /** A meeting that keeps what the bot sends. */
  private static final class HearingMeeting implements MeetingAudio {
    private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
    private final List<String> written = new ArrayList<>();
    private boolean mute;

    @Override
    public List<Person> join(String name, MeetingListener listener) {
      return List.of();
    }

    @Override
    public SoundSink voice() throws CommandRefusedException {
      if (mute) {
        throw new CommandRefusedException("speaking is not permitted in this meeting");
      }
      return (pcm, rate) -> {
        assertThat(rate).isEqualTo(48_000);
        boolean _ = pieces.add(pcm);
      };
    }

    @Override
    public void write(String text) {
      boolean _ = written.add(text);
    }

    @Override
    public String self() {
      return "us";
    }

    @Override
    public void close() {}

    /** The first sample of each of the next pieces. */
    private List<Integer> next(int count) throws InterruptedException {
      List<Integer> first = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        byte[] piece = pieces.poll(SOON_S, TimeUnit.SECONDS);
        assertThat(piece).hasSize(960);
        first.add(SpeechSound.sample(piece, 0));
      }
      return first;
    }
  }

  @Test
  void aFileIsPlayedInPiecesOfTenMilliseconds() throws Exception {
    for (int rate : List.of(8000, 16_000, 22_050, 44_100, 48_000)) {
      List<byte[]> pieces = pieces(wav(rate, 1, rate / 10, 1000));
      assertThat(pieces).as("%d Hz", rate).hasSize(10);
      assertThat(pieces).allMatch(piece -> piece.length == 960);
      assertThat(SpeechSound.sample(pieces.get(5), 100)).isEqualTo(1000);
    }
  }

  @Test
  void theLastPieceIsFilledUpWithSilence() throws Exception {
    List<byte[]> pieces = pieces(wav(48_000, 1, 500, 1000));
    assertThat(pieces).hasSize(2);
    assertThat(SpeechSound.sample(pieces.getLast(), 10)).isEqualTo(1000);
    assertThat(SpeechSound.sample(pieces.getLast(), 20)).isZero();
    assertThat(pieces(wav(48_000, 1, 0, 0))).isEmpty();
  }

  @Test
  void twoChannelsAreMixedAndBetweenSamplesIsALine() throws Exception {
    byte[] stereo = wav(48_000, 2, 480, 0);
    ByteBuffer samples = ByteBuffer.wrap(stereo).order(ByteOrder.LITTLE_ENDIAN);
    samples.putShort(44, (short) 3000).putShort(46, (short) -1000);
    assertThat(SpeechSound.sample(pieces(stereo).getFirst(), 0)).isEqualTo(1000);
    byte[] slow = wav(24_000, 1, 240, 0);
    ByteBuffer.wrap(slow).order(ByteOrder.LITTLE_ENDIAN).putShort(46, (short) 1000);
    byte[] piece = pieces(slow).getFirst();
    assertThat(List.of(0, 1, 2, 3, 4).stream().map(i -> SpeechSound.sample(piece, i)))
        .containsExactly(0, 500, 1000, 500, 0);
  }

  @Test
  void whatIsNoSuchFileIsRefused() {
    byte[] good = wav(16_000, 1, 1600, 0);
    byte[] eightBits = good.clone();
    eightBits[34] = 8;
    for (byte[] bad :
        List.of(
            new byte[0],
            "RIFF....WAVE".getBytes(StandardCharsets.ISO_8859_1),
            Arrays.copyOf(good, 40),
            eightBits,
            wav(0, 1, 100, 0))) {
      assertThatThrownBy(() -> PlayedSound.open(new ByteArrayInputStream(bad)))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void oneSpeechComesAfterTheOtherAtItsTime() throws Exception {
    HearingMeeting meeting = new HearingMeeting();
    try (MeetingTalk talk = new MeetingTalk(meeting, new Synthesizer("none"))) {
      long begun = System.nanoTime();
      talk.speak(new SpeakAudio(wav(16_000, 1, 3200, 1000)), Optional.empty());
      talk.speak(new SpeakAudio(wav(48_000, 1, 4800, 2000)), Optional.empty());
      List<Integer> heard = meeting.next(20 + PAUSE + 10);
      assertThat(heard.subList(0, 20)).containsOnly(1000);
      assertThat(heard.subList(20, 20 + PAUSE)).containsOnly(0);
      assertThat(heard.subList(20 + PAUSE, heard.size())).containsOnly(2000);
      assertThat(Duration.ofNanos(System.nanoTime() - begun))
          .isGreaterThan(Duration.ofMillis(10L * (heard.size() - 1) - 5));
    }
  }

  @Test
  void textIsSpokenWithTheVoiceOfItsLanguage() throws Exception {
    Path program = synthesizer();
    HearingMeeting meeting = new HearingMeeting();
    try (MeetingTalk talk = new MeetingTalk(meeting, new Synthesizer(program.toString()))) {
      String words = "Good --morning; $(rm -rf x)";
      talk.speak(new SpeakText(words, Optional.empty()), Optional.of("de"));
      assertThat(meeting.next(1)).containsExactly(1000);
      assertThat(folder.resolve("said")).hasContent(words);
      assertThat(folder.resolve("asked")).hasContent("--stdin --stdout -b 1 -v de");
      talk.speak(new SpeakText("Hm", Optional.empty()), Optional.of("xx"));
      assertThat(folder.resolve("asked")).hasContent("--stdin --stdout -b 1");
      talk.speak(new SpeakText("Hm", Optional.of("en-us+f3")), Optional.of("de"));
      assertThat(folder.resolve("asked")).hasContent("--stdin --stdout -b 1 -v en-us+f3");
      for (String voice : List.of("xx", "-w", "../x", "a b", "")) {
        assertThatThrownBy(
                () -> talk.speak(new SpeakText("Hm", Optional.of(voice)), Optional.empty()))
            .isInstanceOf(CommandRefusedException.class)
            .hasMessage("there is no voice of this name");
      }
    }
  }

  @Test
  void aBotThatCannotSpeakSaysWhy() throws Exception {
    HearingMeeting meeting = new HearingMeeting();
    try (MeetingTalk talk =
        new MeetingTalk(meeting, new Synthesizer(folder.resolve("none").toString()))) {
      assertThatThrownBy(() -> talk.speak(new SpeakText("Hm", Optional.empty()), Optional.of("de")))
          .hasMessageContaining("espeak-ng is missing");
      assertThatThrownBy(() -> talk.speak(new SpeakAudio(new byte[3]), Optional.empty()))
          .isInstanceOf(CommandRefusedException.class);
      meeting.mute = true;
      SpeakAudio sound = new SpeakAudio(wav(16_000, 1, 1600, 0));
      assertThatThrownBy(() -> talk.speak(sound, Optional.empty()))
          .hasMessage("speaking is not permitted in this meeting");
      meeting.mute = false;
      assertThatThrownBy(
              () -> {
                while (true) {
                  talk.speak(sound, Optional.empty());
                }
              })
          .hasMessage("too much waits to be said");
    }
  }

  @Test
  void itStopsInTheMiddleOfAWord() throws Exception {
    HearingMeeting meeting = new HearingMeeting();
    MeetingTalk talk = new MeetingTalk(meeting, new Synthesizer("none"));
    talk.speak(new SpeakAudio(wav(16_000, 1, 480_000, 1000)), Optional.empty());
    var _ = meeting.next(3);
    talk.close();
    assertThatThrownBy(() -> talk.speak(new SpeakAudio(wav(16_000, 1, 1600, 0)), Optional.empty()))
        .hasMessage("the bot leaves");
    assertThat(meeting.pieces.size()).isLessThan(1000);
  }

  @Test
  void aMessageOfTheChatIsJsonWithItsType() {
    assertThat(ChatPayload.text(ChatPayload.of("Good \"morning\"\n")))
        .contains("Good \"morning\"\n");
    for (String other :
        List.of(
            "",
            "Good morning",
            "{\"type\": \"mute\", \"text\": \"x\"}",
            "{\"type\": \"chat\"}",
            "{\"type\": \"chat\", \"text\": 5}",
            "{\"type\": \"chat\", \"text\": \" \"}",
            "[]",
            "{\"type\": \"chat\", \"text\": \"" + "x".repeat(20_000) + "\"}")) {
      assertThat(ChatPayload.text(other)).as(other).isEmpty();
    }
  }

  /** Notes what it is asked and told, and makes a sound unless the voice is xx. */
  private Path synthesizer() throws IOException {
    Path sound = Files.write(folder.resolve("sound.wav"), wav(22_050, 1, 2205, 1000));
    Path script =
        Files.writeString(
            folder.resolve("synthesizer"),
            """
            #!/bin/sh
            cat > %1$s/said.new
            mv %1$s/said.new %1$s/said
            printf '%%s' "$*" > %1$s/asked
            case "$*" in *"-v xx") exit 1 ;; esac
            exec cat %2$s
            """
                .formatted(folder, sound));
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static List<byte[]> pieces(byte[] wav) throws IOException {
    List<byte[]> pieces = new ArrayList<>();
    try (PlayedSound sound = PlayedSound.open(new ByteArrayInputStream(wav))) {
      for (var piece = sound.next(); piece.isPresent(); piece = sound.next()) {
        boolean _ = pieces.add(piece.get());
      }
    }
    return pieces;
  }

  /** A file with one value in all samples, as a program writes it that does not know its length. */
  private static byte[] wav(int rate, int channels, int frames, int value) {
    ByteBuffer file =
        ByteBuffer.allocate(44 + frames * channels * 2).order(ByteOrder.LITTLE_ENDIAN);
    file.put("RIFF".getBytes(StandardCharsets.ISO_8859_1)).putInt(0x7ffff000);
    file.put("WAVEfmt ".getBytes(StandardCharsets.ISO_8859_1)).putInt(16);
    file.putShort((short) 1).putShort((short) channels).putInt(rate);
    file.putInt(rate * channels * 2).putShort((short) (channels * 2)).putShort((short) 16);
    file.put("data".getBytes(StandardCharsets.ISO_8859_1)).putInt(0x7ffff000);
    for (int i = 0; i < frames * channels; i++) {
      file.putShort((short) value);
    }
    return file.array();
  }
}
