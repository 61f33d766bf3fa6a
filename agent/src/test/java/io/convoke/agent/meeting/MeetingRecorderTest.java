package io.convoke.agent.meeting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a recorder makes of sound that arrives, on a clock of samples. */
class MeetingRecorderTest {
  private static final int PIECE = SpeechSound.RATE / 100;

  private final AtomicLong clock = new AtomicLong();
  private final List<RecordedPart> parts = new ArrayList<>();
  private final MeetingRecorder recorder = new MeetingRecorder(clock::get, parts::add);

  private static byte[] piece(int level) {
    byte[] pcm = new byte[2 * PIECE];
    for (int i = 0; i < PIECE; i++) {
      SpeechSound.put(pcm, i, level);
    }
    return pcm;
  }

  /** Lets time pass, while people make sound of these levels: person, level. */
  private void pass(int pieces, Object... sound) {
    for (int i = 0; i < pieces; i++) {
      clock.addAndGet(PIECE);
      for (int j = 0; j < sound.length; j += 2) {
        recorder.heard((String) sound[j], piece((Integer) sound[j + 1]));
      }
    }
  }

  private List<String> cuts() {
    return parts.stream()
        .map(
            part ->
                "%s %d-%d"
                    .formatted(
                        part.personId().orElse("all"), part.offset() / PIECE, part.end() / PIECE))
        .toList();
  }

  private int at(String who, int piece) {
    return parts.stream()
        .filter(part -> part.personId().orElse("all").equals(who))
        .filter(part -> part.offset() <= (long) piece * PIECE && (long) piece * PIECE < part.end())
        .mapToInt(
            part -> SpeechSound.sample(part.pcm(), (int) ((long) piece * PIECE - part.offset())))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void eachPersonHasATrackAndAllTogetherHaveOne() {
    pass(100);
    pass(200, "ada", 1000);
    pass(100, "ada", 1000, "ben", 300);
    pass(600);
    recorder.cut();
    assertThat(parts).as("late sound may come").isEmpty();
    pass(100);
    recorder.cut();
    assertThat(cuts()).containsExactly("ada 100-400", "ben 300-400", "all 0-1000");
    assertThat(at("all", 50)).isZero();
    assertThat(at("all", 150)).isEqualTo(1000);
    assertThat(at("all", 350)).isEqualTo(1300);
    assertThat(at("ben", 350)).isEqualTo(300);
    assertThat(at("all", 500)).isZero();
  }

  @Test
  void soundGoesOnInTheNextPart() {
    pass(1500, "ada", 1000);
    recorder.cut();
    assertThat(recorder.finish()).isEqualTo(1500L * PIECE);
    assertThat(cuts()).containsExactly("ada 0-1000", "all 0-1000", "ada 1000-1500", "all 1000-1500");
    assertThat(at("ada", 999)).isEqualTo(1000);
    assertThat(at("ada", 1000)).isEqualTo(1000);
  }

  @Test
  void aTrackThatPausedGoesOnAtItsTime() {
    pass(100, "ada", 1000);
    pass(300);
    pass(100, "ada", 2000);
    long _ = recorder.finish();
    assertThat(cuts()).containsExactly("ada 0-500", "all 0-500");
    assertThat(at("ada", 99)).isEqualTo(1000);
    assertThat(at("ada", 100)).isZero();
    assertThat(at("ada", 399)).isZero();
    assertThat(at("ada", 400)).isEqualTo(2000);
  }

  @Test
  void aTrackThatJittersIsNotTorn() {
    pass(100, "ada", 1000);
    clock.addAndGet(10L * PIECE);
    for (int i = 0; i < 10; i++) {
      recorder.heard("ada", piece(2000));
    }
    long _ = recorder.finish();
    assertThat(at("ada", 99)).isEqualTo(1000);
    assertThat(at("ada", 100)).isEqualTo(2000);
    assertThat(at("ada", 109)).isEqualTo(2000);
  }

  @Test
  void silenceIsNoTrackAndYetTime() {
    pass(2200, "ada", 3);
    recorder.cut();
    assertThat(cuts()).containsExactly("all 0-1000", "all 1000-2000");
    assertThat(recorder.finish()).isEqualTo(2200L * PIECE);
    assertThat(cuts()).endsWith("all 2000-2200");
  }

  @Test
  void loudVoicesTogetherDoNotWrap() {
    pass(10, "ada", 30_000, "ben", 30_000, "cleo", -100);
    long _ = recorder.finish();
    assertThat(at("all", 5)).isEqualTo(32_667);
  }

  @Test
  void soundThatComesTwiceIsTakenOnce() {
    for (int i = 0; i < 100_000; i++) {
      recorder.heard("ada", piece(1000));
    }
    long _ = recorder.finish();
    assertThat(parts).allMatch(part -> part.end() <= 2 * SpeechSound.RATE);
  }

  @Test
  void afterItsEndNothingIsRecorded() {
    pass(10, "ada", 1000);
    long end = recorder.finish();
    pass(10, "ada", 1000);
    assertThat(end).isEqualTo(10L * PIECE);
    assertThat(cuts()).containsExactly("ada 0-10", "all 0-10");
  }
}
