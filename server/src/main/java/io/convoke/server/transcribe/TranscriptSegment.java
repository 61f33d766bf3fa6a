package io.convoke.server.transcribe;

import java.util.List;
import java.util.Optional;

/**
 * A transcript segment. Start and end are seconds from the beginning of the audio.
 *
 * @param words with their times, where the transcriber tells them
 * @param confidence from 0 to 1, where the transcriber tells it
 */
public record TranscriptSegment(
    double start,
    double end,
    String text,
    Optional<String> speaker,
    Optional<String> language,
    List<TimedToken> words,
    Optional<Double> confidence) {
  public TranscriptSegment {
    words = List.copyOf(words);
  }

  /**
   * One word; start and end are seconds from the beginning of the audio.
   *
   * @param confidence from 0 to 1, where the transcriber tells it
   */
  public record TimedToken(double start, double end, String text, Optional<Double> confidence) {
    /** Without a confidence. */
    public TimedToken(double start, double end, String text) {
      this(start, end, text, Optional.empty());
    }

    double middle() {
      return (start + end) / 2;
    }

    TimedToken shifted(double seconds) {
      return new TimedToken(start + seconds, end + seconds, text, confidence);
    }
  }

  /** Without words and confidence. */
  public TranscriptSegment(
      double start, double end, String text, Optional<String> speaker, Optional<String> language) {
    this(start, end, text, speaker, language, List.of(), Optional.empty());
  }

  /** With neither speaker nor language. */
  public static TranscriptSegment of(double start, double end, String text) {
    return new TranscriptSegment(start, end, text, Optional.empty(), Optional.empty());
  }

  /** So many seconds later. */
  public TranscriptSegment shifted(double seconds) {
    return new TranscriptSegment(
        start + seconds,
        end + seconds,
        text,
        speaker,
        language,
        words.stream().map(word -> word.shifted(seconds)).toList(),
        confidence);
  }

  public TranscriptSegment by(Optional<String> other) {
    return new TranscriptSegment(start, end, text, other, language, words, confidence);
  }

  TranscriptSegment with(List<TimedToken> timed, Optional<Double> sure) {
    return new TranscriptSegment(start, end, text, speaker, language, timed, sure);
  }
}
