package io.convoke.agent.meeting;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.meeting.Utterance.SpeechTimes;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a person speaks, on a clock of pieces of 10 ms. */
class UtteranceTest {
  private static final Offset<Double> PIECE = Offset.offset(0.02);

  private final AtomicInteger pieces = new AtomicInteger();
  private final Utterance utterance = new Utterance(() -> pieces.get() / 100.0);

  /** Pieces whose bytes are all of this level; returns whether the last one counted as speech. */
  private boolean hear(int many, int level) {
    return hearSamples(many, 0x101 * level);
  }

  private boolean hearSamples(int many, int sample) {
    byte[] pcm = new byte[320];
    for (int i = 0; i < pcm.length / 2; i++) {
      SpeechSound.put(pcm, i, sample);
    }
    boolean speaking = false;
    for (int i = 0; i < many; i++) {
      speaking = utterance.heard(pcm);
      pieces.incrementAndGet();
    }
    return speaking;
  }

  @Test
  void wordsHaveTheTimesOfTheSoundBeforeThem() {
    assertThat(hear(100, 0)).isFalse();
    assertThat(hear(200, 40)).isTrue();
    assertThat(hear(150, 0)).isFalse();
    SpeechTimes words = utterance.said("good morning");
    assertThat(words.from()).isCloseTo(1, PIECE);
    assertThat(words.to()).isCloseTo(3, PIECE);
  }

  /** Bytes of 40 are samples of 10,280 of 32,768: 10.1 dB below the loudest. */
  @Test
  void wordsAreAsLoudAsTheSoundInThem() {
    assertThat(hear(100, 40)).isTrue();
    assertThat(utterance.draft("good").level()).hasValue(-10.1);
    assertThat(hear(150, 0)).isFalse();
    assertThat(utterance.said("good morning").level()).hasValue(-10.1);
    assertThat(hear(100, 10)).isTrue();
    assertThat(hear(20, 0)).isFalse();
    assertThat(hear(100, 40)).isTrue();
    assertThat(hear(150, 0)).isFalse();
    assertThat(utterance.said("and you").level()).hasValue(-12.8);
    assertThat(utterance.said("without a sound").level()).isEmpty();
  }

  @Test
  void aClickIsNoSpeech() {
    assertThat(hear(5, 40)).isFalse();
    assertThat(hear(300, 1)).isFalse();
    assertThat(hear(5, 40)).isFalse();
  }

  @Test
  void aSoundIsAVoiceFrom500On() {
    assertThat(hearSamples(30, 499)).isFalse();
    assertThat(hearSamples(30, -499)).isFalse();
    assertThat(hearSamples(10, 500)).isFalse();
    assertThat(hearSamples(10, -500)).isTrue();
  }

  /** 20 pieces are speech, counted from the last pause of 800 ms. */
  @ParameterizedTest
  @CsvSource({"78, 12", "79, 19"})
  void aPauseBeginsTheCountOfPiecesAnew(int silence, int tooFew) {
    assertThat(hear(7, 40)).isFalse();
    assertThat(hear(silence, 0)).isFalse();
    assertThat(hear(tooFew, 40)).isFalse();
    assertThat(hear(1, 40)).isTrue();
  }

  /** The second sound ends at 0.9 s: 400 ms later it may still go on. */
  @ParameterizedTest
  @CsvSource({"39, 0.06, -10.1", "40, 0.9, -12.2"})
  void whatMayStillBeSaidIsNotOfTheWords(int silence, double to, double level) {
    assertThat(hear(7, 40)).isFalse();
    assertThat(hear(79, 0)).isFalse();
    assertThat(hear(5, 10)).isFalse();
    assertThat(hear(silence, 0)).isFalse();
    assertThat(utterance.said("good morning"))
        .isEqualTo(new SpeechTimes(0, to, OptionalDouble.of(level)));
  }

  @Test
  void aDraftBeginsWithItsSoundAndEndsNow() {
    assertThat(hear(100, 0)).isFalse();
    assertThat(hear(200, 40)).isTrue();
    assertThat(hear(100, 0)).isFalse();
    assertThat(hear(50, 40)).isTrue();
    SpeechTimes draft = utterance.draft("good");
    assertThat(draft.from()).isEqualTo(1);
    assertThat(draft.to()).isEqualTo(4.5);
    assertThat(utterance.draft("good morning")).isEqualTo(draft);
    assertThat(utterance.said("good morning").from()).isEqualTo(1);
    assertThat(utterance.draft("and you").from()).isEqualTo(4);
  }

  @Test
  void withoutASoundASecondOfWordsIs15Letters() {
    String words = "x".repeat(30);
    assertThat(hear(100, 0)).isFalse();
    assertThat(utterance.said(words)).isEqualTo(new SpeechTimes(0, 1, OptionalDouble.empty()));
    assertThat(hear(900, 0)).isFalse();
    assertThat(utterance.draft(words)).isEqualTo(new SpeechTimes(8, 10, OptionalDouble.empty()));
    assertThat(hear(100, 0)).isFalse();
    assertThat(utterance.said(words)).isEqualTo(new SpeechTimes(8, 11, OptionalDouble.empty()));
  }

  @ParameterizedTest
  @CsvSource({"5900, 0", "5901, 60.01"})
  void aSoundIsRememberedForAMinute(int silence, double from) {
    assertThat(hear(100, 40)).isTrue();
    assertThat(hear(silence, 0)).isFalse();
    assertThat(hear(1, 40)).isFalse();
    assertThat(utterance.said("at last").from()).isEqualTo(from);
  }

  @Test
  void aNoiseWithoutWordsIsNotRememberedForEver() {
    assertThat(hear(20_000, 40)).isTrue();
    SpeechTimes words = utterance.said("at last");
    assertThat(words.from()).isCloseTo(140, PIECE);
    assertThat(words.to()).isCloseTo(200, PIECE);
  }
}
