package io.convoke.server.transcribe;

import io.convoke.server.transcribe.TranscriptSegment.TimedToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Joins the transcripts of two pieces that overlap, without a word twice.
 *
 * <p>Both heard the overlap, so the longest run of words that both have there is the seam: words up
 * to the middle of the run come from the first piece, later ones from the second. The words at the
 * edges, where a piece was cut, lie outside of it. Without such a run the middle of the overlap
 * divides them, unless only one has words there. In scripts without spaces between words each
 * character counts as a word. Pure.
 */
public final class PieceMerge {
  /** Seconds by which two transcripts of one word may differ. */
  private static final double DRIFT_MAX = 10;

  /** A run of fewer words may be a coincidence. */
  private static final int RUN_MIN = 3;

  private static final String UNSPACED =
      "\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}\\p{IsLao}\\p{IsKhmer}\\p{IsMyanmar}";

  /** A character of such a script with its marks and punctuation, or what has no space within. */
  private static final Pattern TOKEN =
      Pattern.compile("\\p{P}*[%s][\\p{P}\\p{M}ー]*|[^\\s%s]+".replace("%s", UNSPACED));

  private PieceMerge() {}

  /**
   * A word of the text, its place, and its time: as told, or else by its length.
   *
   * @param spaced whether a space stands before it
   */
  private record PlacedToken(
      int segment, int index, String text, boolean spaced, double start, double end) {
    double middle() {
      return (start + end) / 2;
    }

    String plain() {
      String letters = text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}]+", "");
      return letters.isEmpty() ? text : letters;
    }

    boolean before(PlacedToken other) {
      return segment < other.segment || (segment == other.segment && index < other.index);
    }
  }

  /** {@code length} words from {@code left} on are those from {@code right} on. */
  private record CommonRun(int left, int right, int length) {}

  /**
   * The first transcript and what the second adds to it.
   *
   * @param from where the second piece begins, in seconds of the whole audio as all times
   * @param to where the first piece ends
   */
  public static List<TranscriptSegment> join(
      List<TranscriptSegment> first, List<TranscriptSegment> second, double from, double to) {
    List<PlacedToken> tail = words(first).stream().filter(word -> word.end() > from).toList();
    List<PlacedToken> head = words(second).stream().filter(word -> word.start() < to).toList();
    Optional<CommonRun> run = commonRun(tail, head);
    List<TranscriptSegment> joined = new ArrayList<>();
    if (run.isPresent()) {
      int half = (run.get().length() + 1) / 2;
      PlacedToken last = tail.get(run.get().left() + half - 1);
      PlacedToken lastAgain = head.get(run.get().right() + half - 1);
      joined.addAll(kept(first, word -> !last.before(word)));
      joined.addAll(kept(named(first, second, tail, head, run.get()), lastAgain::before));
    } else {
      // What only one of them has heard is kept as a whole.
      double middle = (from + to) / 2;
      joined.addAll(kept(first, word -> head.isEmpty() || word.middle() < middle));
      joined.addAll(
          kept(
              named(first, second, tail, head, new CommonRun(0, 0, 0)),
              word -> tail.isEmpty() || word.middle() >= middle));
    }
    return List.copyOf(joined);
  }

  private static Optional<CommonRun> commonRun(List<PlacedToken> tail, List<PlacedToken> head) {
    CommonRun best = new CommonRun(0, 0, 0);
    double bestScore = 0;
    for (int left = 0; left < tail.size(); left++) {
      for (int right = 0; right < head.size(); right++) {
        double drift = Math.abs(tail.get(left).middle() - head.get(right).middle());
        int length = drift > DRIFT_MAX ? 0 : common(tail, left, head, right);
        double score = length - drift / DRIFT_MAX;
        if (score > bestScore) {
          best = new CommonRun(left, right, length);
          bestScore = score;
        }
      }
    }
    int enough = Math.min(RUN_MIN, Math.min(tail.size(), head.size()));
    return best.length() > 0 && best.length() >= enough ? Optional.of(best) : Optional.empty();
  }

  private static int common(List<PlacedToken> tail, int left, List<PlacedToken> head, int right) {
    int length = 0;
    while (left + length < tail.size()
        && right + length < head.size()
        && tail.get(left + length).plain().equals(head.get(right + length).plain())) {
      length++;
    }
    return length;
  }

  /**
   * The second transcript with the first one's names of speakers: a transcriber names them anew in
   * each piece. Who says the same words in the overlap is the same; all others are new.
   */
  private static List<TranscriptSegment> named(
      List<TranscriptSegment> first,
      List<TranscriptSegment> second,
      List<PlacedToken> tail,
      List<PlacedToken> head,
      CommonRun run) {
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < run.length(); i++) {
      Optional<String> before = first.get(tail.get(run.left() + i).segment()).speaker();
      Optional<String> now = second.get(head.get(run.right() + i).segment()).speaker();
      if (before.isPresent() && now.isPresent()) {
        String _ = names.putIfAbsent(now.get(), before.get());
      }
    }
    Set<String> taken = new LinkedHashSet<>();
    first.forEach(segment -> segment.speaker().ifPresent(taken::add));
    List<TranscriptSegment> named = new ArrayList<>();
    for (TranscriptSegment segment : second) {
      named.add(
          segment.by(
              segment.speaker().map(name -> names.computeIfAbsent(name, _ -> free(name, taken)))));
    }
    return named;
  }

  /** The name itself, or the next capital letter that is free. */
  private static String free(String name, Set<String> taken) {
    String free = name;
    for (char letter = 'A'; !taken.add(free); letter++) {
      free = String.valueOf(letter);
    }
    return free;
  }

  @FunctionalInterface
  private interface TokenFilter {
    boolean keep(PlacedToken word);
  }

  private static List<TranscriptSegment> kept(
      List<TranscriptSegment> segments, TokenFilter tokenFilter) {
    List<TranscriptSegment> kept = new ArrayList<>();
    for (int i = 0; i < segments.size(); i++) {
      TranscriptSegment segment = segments.get(i);
      List<PlacedToken> all = words(segment, i);
      List<PlacedToken> some = all.stream().filter(tokenFilter::keep).toList();
      if (some.size() == all.size()) {
        kept.add(segment);
      } else if (!some.isEmpty()) {
        kept.add(part(segment, all, some));
      }
    }
    return kept;
  }

  /** The beginning of a segment, or its end. */
  private static TranscriptSegment part(
      TranscriptSegment segment, List<PlacedToken> all, List<PlacedToken> some) {
    double start = some.getFirst().start();
    double end = some.getLast().end();
    boolean beginning = some.getFirst().index() == 0;
    // Where the transcriber divides words otherwise, each is on one side of the cut.
    List<TimedToken> words =
        segment.words().size() == all.size()
            ? segment.words().subList(some.getFirst().index(), some.getLast().index() + 1)
            : segment.words().stream()
                .filter(word -> beginning ? word.middle() < end : word.middle() >= start)
                .toList();
    return new TranscriptSegment(
        start, end, text(some), segment.speaker(), segment.language(), words, segment.confidence());
  }

  private static String text(List<PlacedToken> words) {
    StringBuilder text = new StringBuilder();
    for (PlacedToken word : words) {
      text.append(word.spaced() && !text.isEmpty() ? " " : "").append(word.text());
    }
    return text.toString();
  }

  private static List<PlacedToken> words(List<TranscriptSegment> segments) {
    List<PlacedToken> words = new ArrayList<>();
    for (int i = 0; i < segments.size(); i++) {
      words.addAll(words(segments.get(i), i));
    }
    return words;
  }

  private static List<PlacedToken> words(TranscriptSegment segment, int number) {
    List<MatchResult> tokens = TOKEN.matcher(segment.text()).results().toList();
    boolean told = segment.words().size() == tokens.size();
    int characters = tokens.stream().mapToInt(token -> token.group().length()).sum();
    double perCharacter = (segment.end() - segment.start()) / Math.max(1, characters);
    List<PlacedToken> words = new ArrayList<>();
    double at = segment.start();
    int last = 0;
    for (MatchResult token : tokens) {
      int i = words.size();
      boolean spaced = token.start() > last;
      double end = at + token.group().length() * perCharacter;
      words.add(
          told
              ? new PlacedToken(
                  number,
                  i,
                  token.group(),
                  spaced,
                  segment.words().get(i).start(),
                  segment.words().get(i).end())
              : new PlacedToken(number, i, token.group(), spaced, at, end));
      at = end;
      last = token.end();
    }
    return words;
  }
}
