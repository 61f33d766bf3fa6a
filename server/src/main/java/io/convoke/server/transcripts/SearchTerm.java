package io.convoke.server.transcripts;

import io.convoke.engine.sql.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A word of a search with its stems: a segment matches if it has one of them.
 *
 * @param spellings the word itself, and its stem in each language
 */
record SearchTerm(List<String> spellings) {
  /**
   * Characters that separate words, as blanks do: by itself the parser takes them for parts of
   * tags, paths and hosts. The SQL function {@code transcript_vector}, whose words the index holds,
   * has the same.
   */
  private static final String SEPARATORS = "<>/-.@";

  private static final String STEMMERS =
      List.of(
              "arabic",
              "danish",
              "dutch",
              "english",
              "finnish",
              "french",
              "german",
              "hungarian",
              "italian",
              "norwegian",
              "portuguese",
              "romanian",
              "russian",
              "spanish",
              "swedish",
              "turkish")
          .stream()
          .map(language -> "pg_catalog." + language + "_stem")
          .collect(Collectors.joining(",", "'{", "}'"));

  /** The words of a text, split as segments are. */
  static List<SearchTerm> of(Tx tx, String text) {
    return tx.sql(
            """
            select array(
              select distinct spelling from (
                select lexeme as spelling
                union all
                select unnest(ts_lexize(stemmer, lexeme)) from unnest(STEMMERS::regdictionary[]) as stemmer
              ) as all_spellings) as spellings
            from unnest(to_tsvector('pg_catalog.simple', PLAIN))
            """
                .replace("PLAIN", plain("?"))
                .replace("STEMMERS", STEMMERS))
        .with(text)
        .list(resultRow -> new SearchTerm(resultRow.texts("spellings")));
  }

  /** The SQL of a text in which blanks alone separate words. */
  static String plain(String text) {
    String blanks = " ".repeat(SEPARATORS.length());
    return "translate(" + text + ", '" + SEPARATORS + "', '" + blanks + "')";
  }

  /** All spellings of all words. */
  static String[] spellings(List<SearchTerm> terms) {
    return terms.stream().flatMap(term -> term.spellings().stream()).toArray(String[]::new);
  }

  /** A {@code tsquery} of segments that have all words. */
  static String tsquery(List<SearchTerm> terms) {
    List<String> all = new ArrayList<>();
    for (SearchTerm term : terms) {
      all.add(
          term.spellings().stream()
              .map(SearchTerm::quoted)
              .collect(Collectors.joining(" | ", "(", ")")));
    }
    return String.join(" & ", all);
  }

  private static String quoted(String spelling) {
    return "'" + spelling.replace("\\", "\\\\").replace("'", "''") + "'";
  }
}
