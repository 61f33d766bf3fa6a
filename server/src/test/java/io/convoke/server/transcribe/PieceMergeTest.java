package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.transcribe.AudioPiece.PieceLimits;
import io.convoke.server.transcribe.TranscriptSegment.TimedToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pieces cover an audio, and their transcripts become one without a word lost or twice. */
class PieceMergeTest {
  private static final PieceLimits LIMITS = new PieceLimits(600, 15);

  @Test
  void piecesCoverTheAudioAndOverlap() {
    assertThat(AudioPiece.of(600, Optional.of(LIMITS))).containsExactly(new AudioPiece(1, 0, 600));
    assertThat(AudioPiece.of(601, Optional.of(LIMITS)))
        .containsExactly(new AudioPiece(1, 0, 600), new AudioPiece(2, 585, 601));
    assertThat(AudioPiece.of(1500, Optional.of(LIMITS)))
        .containsExactly(
            new AudioPiece(1, 0, 600), new AudioPiece(2, 585, 1185), new AudioPiece(3, 1170, 1500));
    assertThat(AudioPiece.of(90_000, Optional.empty()))
        .containsExactly(new AudioPiece(1, 0, 90_000));
  }

  @Test
  void wordsThatBothHeardAreThereOnceHoweverTheSegmentsAreCut() {
    assertThat(
            text(
                PieceMerge.join(
                    List.of(
                        TranscriptSegment.of(580, 590, "We should meet the customer"),
                        TranscriptSegment.of(590, 600, "again on Friday before lunch bec")),
                    List.of(
                        TranscriptSegment.of(585, 586, "omer"),
                        TranscriptSegment.of(590.5, 597, "Again, on Friday before lunch,"),
                        TranscriptSegment.of(598, 604, "because they fly home.")),
                    585,
                    600)))
        .isEqualTo(
            "We should meet the customer again on Friday before lunch, because they fly home.");
  }

  @Test
  void charactersAreTheWordsOfScriptsWithoutSpaces() {
    List<TranscriptSegment> joined =
        PieceMerge.join(
            List.of(TranscriptSegment.of(570, 600, "我们今天讨论下个月的预算。客户想在星期五之前")),
            List.of(TranscriptSegment.of(585, 615, "客户想在星期五之前得到答复，然后我们再 call Bob")),
            585,
            600);
    assertThat(String.join("", joined.stream().map(TranscriptSegment::text).toList()))
        .isEqualTo("我们今天讨论下个月的预算。客户想在星期五之前得到答复，然后我们再 call Bob");
  }

  @Test
  void wordsOfSeveralCharactersKeepTheirTimes() {
    List<TranscriptSegment> joined =
        PieceMerge.join(
            List.of(timed(581, "今天 讨论 下个月 的 预算 客户 想 在 星期五 之前")),
            List.of(timed(591, "客户 想 在 星期五 之前 得到 答复 然后 我们 再谈 吧")),
            590,
            600);
    assertThat(joined)
        .extracting(TranscriptSegment::text)
        .containsExactly("今天讨论下个月的预算客户想在星", "期五之前得到答复然后我们再谈吧");
    assertThat(joined.stream().flatMap(it -> it.words().stream().map(TimedToken::text)))
        .containsExactly("今天 讨论 下个月 的 预算 客户 想 在 星期五 之前 得到 答复 然后 我们 再谈 吧".split(" ", -1));
    assertThat(joined.getLast().words().getFirst().start()).isEqualTo(595);
  }

  /** A segment whose words last a second for each character, with no spaces between them. */
  private static TranscriptSegment timed(double start, String words) {
    List<TimedToken> timed = new ArrayList<>();
    double at = start;
    for (String word : words.split(" ", -1)) {
      timed.add(new TimedToken(at, at + word.length(), word));
      at += word.length();
    }
    return TranscriptSegment.of(start, at, words.replace(" ", "")).with(timed, Optional.empty());
  }

  @Test
  void aWordOfSeveralCharactersAcrossTheSeamIsThereOnce() {
    List<TranscriptSegment> first = List.of(timed(584, "预算 客户 希望 想"));
    List<TranscriptSegment> second = List.of(timed(586, "客户 希望 想 答复"));
    List<TranscriptSegment> joined = PieceMerge.join(first, second, 586, 591);
    assertThat(joined).extracting(TranscriptSegment::text).containsExactly("预算客户希", "望想答复");
    assertThat(joined).extracting(PieceMergeTest::timedWords).containsExactly("预算 客户", "希望 想 答复");
  }

  @Test
  void eachPartHasItsWordsWithTheirTimes() {
    List<TranscriptSegment> joined =
        PieceMerge.join(
            List.of(spaced(581, "see you friday")),
            List.of(spaced(584, "you friday at noon")),
            584,
            593);
    assertThat(joined)
        .extracting(PieceMergeTest::timedWords)
        .containsExactly("see you", "friday at noon");
    assertThat(joined.getLast().words().getFirst().start()).isEqualTo(587);
  }

  private static String timedWords(TranscriptSegment segment) {
    return String.join(" ", segment.words().stream().map(TimedToken::text).toList());
  }

  /** A segment whose words last a second for each character, with a space between them. */
  private static TranscriptSegment spaced(double start, String words) {
    TranscriptSegment timed = timed(start, words);
    return TranscriptSegment.of(start, timed.end(), words).with(timed.words(), Optional.empty());
  }

  @Test
  void threeWordsAreASeamWithoutTheirCaseAndPunctuationAndTwoAreNot() {
    assertThat(
            joined(
                TranscriptSegment.of(586, 589, "see you FRIDAY"),
                TranscriptSegment.of(594, 600, "See you, Friday. Bye")))
        .isEqualTo("see you Friday. Bye");
    assertThat(
            joined(
                TranscriptSegment.of(586, 589, "on friday maybe"),
                TranscriptSegment.of(594, 600, "on friday at nine")))
        .isEqualTo("on friday maybe on friday at nine");
  }

  @Test
  void wordsMoreThanTenSecondsApartAreSaidTwice() {
    TranscriptSegment first = TranscriptSegment.of(577, 589, "see you friday");
    assertThat(join(first, TranscriptSegment.of(587, 599, "see you friday"), 575, 600))
        .isEqualTo("see you friday");
    assertThat(join(first, TranscriptSegment.of(587.5, 599.5, "see you friday"), 575, 600))
        .isEqualTo("see you friday see you friday");
  }

  /** The second piece heard them twice: from 585 s and from 592 s. */
  @ParameterizedTest
  @CsvSource({
    "591, we go now",
    "586, we go now we go now",
    "588.5, we go now we go now",
  })
  void ofRunsOfOneLengthTheNearestIsTheSeamAndElseTheFirst(double at, String expected) {
    assertThat(
            join(
                TranscriptSegment.of(at, at + 7, "we go now"),
                TranscriptSegment.of(585, 599, "we go now we go now"),
                580,
                600))
        .isEqualTo(expected);
  }

  /** What one piece alone has heard there is kept as a whole. */
  @Test
  void aWordThatOnlyTouchesTheOverlapIsNotInIt() {
    assertThat(
            joined(
                TranscriptSegment.of(570, 585, "before"), TranscriptSegment.of(586, 588, "early")))
        .isEqualTo("before early");
    assertThat(
            joined(TranscriptSegment.of(594, 598, "late"), TranscriptSegment.of(600, 605, "after")))
        .isEqualTo("late after");
  }

  @Test
  void whatIsInTheMiddleOfTheOverlapIsOfTheSecondPiece() {
    assertThat(joined(TranscriptSegment.of(591, 594, "yes"), TranscriptSegment.of(591, 594, "no")))
        .isEqualTo("no");
  }

  /** Of pieces that overlap from 585 s to 600 s. */
  private static String joined(TranscriptSegment first, TranscriptSegment second) {
    return join(first, second, 585, 600);
  }

  private static String join(
      TranscriptSegment first, TranscriptSegment second, double from, double to) {
    return text(PieceMerge.join(List.of(first), List.of(second), from, to));
  }

  @Test
  void withoutCommonWordsTheMiddleOfTheOverlapDivides() {
    assertThat(
            text(
                PieceMerge.join(
                    List.of(TranscriptSegment.of(570, 584, "before")),
                    List.of(TranscriptSegment.of(598, 604, "after")),
                    585,
                    600)))
        .isEqualTo("before after");
    // Here only the second one has words in the overlap.
    assertThat(
            text(
                PieceMerge.join(
                    List.of(TranscriptSegment.of(570, 584, "before")),
                    List.of(TranscriptSegment.of(586, 588, "early")),
                    585,
                    600)))
        .isEqualTo("before early");
    assertThat(
            text(
                PieceMerge.join(
                    List.of(
                        TranscriptSegment.of(570, 584, "before"),
                        TranscriptSegment.of(586, 590, "yes"),
                        TranscriptSegment.of(595, 600, "lost")),
                    List.of(
                        TranscriptSegment.of(585, 588, "cut"),
                        TranscriptSegment.of(595, 604, "kept")),
                    585,
                    600)))
        .isEqualTo("before yes kept");
    assertThat(PieceMerge.join(List.of(), List.of(), 585, 600)).isEmpty();
  }

  @Test
  void speakersKeepTheirNamesWhenATranscriberNamesThemAnew() {
    List<TranscriptSegment> joined =
        PieceMerge.join(
            List.of(
                said("A", 570, "Shall we ask the board about it"),
                said("B", 588, "yes but not before the end of March")),
            List.of(
                said("A", 588, "yes but not before the end of March"),
                said("B", 601, "and who pays"),
                said("A", 605, "we do")),
            585,
            600);
    // The second piece hears the second speaker first; its other one may be a third.
    assertThat(joined.stream().map(segment -> segment.speaker().orElseThrow()).distinct())
        .containsExactly("A", "B", "C");
    assertThat(joined.getLast().speaker()).contains("B");
  }

  /** A speech of random words, recognised in pieces that hear words a little early or late. */
  @Tag("nightly")
  @Test
  void anHourOfWordsIsTheSameInPieces() {
    for (long seed = 1; seed <= 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<String> spoken =
          IntStream.range(0, 4000).mapToObj(_ -> "w" + random.nextInt(300)).toList();
      double perWord = 0.45;
      List<TranscriptSegment> merged = new ArrayList<>();
      for (AudioPiece piece : AudioPiece.of(spoken.size() * perWord, Optional.of(LIMITS))) {
        List<TranscriptSegment> heard = heard(spoken, perWord, piece, random);
        merged =
            new ArrayList<>(
                merged.isEmpty()
                    ? heard
                    : PieceMerge.join(merged, heard, piece.start(), piece.start() + 15));
      }
      assertThat(text(merged)).as("seed %d", seed).isEqualTo(String.join(" ", spoken));
      assertThat(merged.stream().map(TranscriptSegment::start)).isSorted();
    }
  }

  /**
   * What a transcriber returns for a piece: segments of some words, the ones at its ends broken.
   */
  private static List<TranscriptSegment> heard(
      List<String> spoken, double perWord, AudioPiece piece, SplittableRandom random) {
    List<TranscriptSegment> heard = new ArrayList<>();
    int at = (int) Math.ceil(piece.start() / perWord - 0.001);
    int last = (int) Math.min(spoken.size(), piece.end() / perWord + 0.001);
    if (piece.start() > 0) {
      heard.add(TranscriptSegment.of(piece.start(), piece.start() + 0.2, "uh"));
    }
    while (at < last) {
      int to = Math.min(last, at + 3 + random.nextInt(12));
      double early = random.nextDouble() * 0.4 - 0.2;
      heard.add(
          TranscriptSegment.of(
              Math.max(0, at * perWord + early),
              to * perWord + early,
              String.join(" ", spoken.subList(at, to))));
      at = to;
    }
    if (last < spoken.size()) {
      heard.add(TranscriptSegment.of(piece.end() - 0.1, piece.end(), "ah"));
    }
    return heard;
  }

  private static TranscriptSegment said(String speaker, double at, String text) {
    return new TranscriptSegment(
        at, at + 0.4 * text.split(" ", -1).length, text, Optional.of(speaker), Optional.empty());
  }

  private static String text(List<TranscriptSegment> segments) {
    return String.join(
        " ", segments.stream().flatMap(it -> Arrays.stream(it.text().split(" ", -1))).toList());
  }
}
