package io.convoke.e2e.media;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Compares what was said with what a transcript says, person by person. Pure. */
final class SpokenLines {
  private SpokenLines() {}

  /** A line of a transcript. */
  record HeardLine(String speaker, String text) {}

  /** The lines of an answer of {@code GET /transcripts/ID}. */
  static List<HeardLine> of(JsonNode transcript) {
    return transcript
        .path("segments")
        .valueStream()
        .map(
            segment ->
                new HeardLine(
                    segment.path("speaker").asString(""), segment.path("text").asString("")))
        .toList();
  }

  /**
   * The lines under a name whose words are rather another person's. Everybody says words that the
   * others do not, so a line that is nearer to another one's is one.
   */
  static List<HeardLine> underAWrongName(Map<String, List<String>> said, List<HeardLine> heard) {
    return heard.stream()
        .filter(
            line -> {
              int own = shared(said.getOrDefault(line.speaker(), List.of()), line.text());
              return said.entrySet().stream()
                  .filter(entry -> !entry.getKey().equals(line.speaker()))
                  .anyMatch(entry -> shared(entry.getValue(), line.text()) > own);
            })
        .toList();
  }

  /** Words to replace, add or remove, for each word that was said, over all people. */
  static double errorRate(Map<String, List<String>> said, List<HeardLine> heard) {
    Map<String, String> texts =
        heard.stream()
            .collect(
                Collectors.groupingBy(
                    HeardLine::speaker,
                    LinkedHashMap::new,
                    Collectors.mapping(HeardLine::text, Collectors.joining(" "))));
    int errors = 0;
    int count = 0;
    for (Map.Entry<String, List<String>> one : said.entrySet()) {
      List<String> words = words(String.join(" ", one.getValue()));
      errors += distance(words, words(texts.getOrDefault(one.getKey(), "")));
      count += words.size();
    }
    return (double) errors / count;
  }

  /** The same for each person. */
  static Map<String, Double> errorRates(Map<String, List<String>> said, List<HeardLine> heard) {
    Map<String, Double> rates = new LinkedHashMap<>();
    said.forEach(
        (name, lines) -> {
          Double _ = rates.put(name, errorRate(Map.of(name, lines), heard));
        });
    return rates;
  }

  private static int shared(List<String> said, String text) {
    List<String> own = words(String.join(" ", said));
    return (int) words(text).stream().filter(own::contains).count();
  }

  private static int distance(List<String> from, List<String> to) {
    int[] row = new int[to.size() + 1];
    for (int j = 0; j <= to.size(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.size(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.size(); j++) {
        int replaced = diagonal + (from.get(i - 1).equals(to.get(j - 1)) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[to.size()];
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.toLowerCase(Locale.ROOT).split("[^a-z']+", -1))
        .filter(word -> !word.isEmpty())
        .toList();
  }
}
