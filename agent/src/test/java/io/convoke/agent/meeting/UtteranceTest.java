package io.convoke.agent.meeting;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.meeting.Utterance.SpeechTimes;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** When a person speaks, on a clock of pieces of 10 ms. */
class UtteranceTest {
  private static final Offset<Double> PIECE = Offset.offset(0.02);

  private final AtomicInteger pieces = new AtomicInteger();
  private final Utterance utterance = new Utterance(() -> pieces.get() / 100.0);

  /** Whether the last piece counted as speech. */
  private boolean hear(int many, int level) {
    boolean speaking = false;
    for (int i = 0; i < many; i++) {
      byte[] pcm = new byte[320];
      Arrays.fill(pcm, (byte) level);
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
  void aNoiseWithoutWordsIsNotRememberedForEver() {
    assertThat(hear(20_000, 40)).isTrue();
    SpeechTimes words = utterance.said("at last");
    assertThat(words.from()).isCloseTo(140, PIECE);
    assertThat(words.to()).isCloseTo(200, PIECE);
  }
}
