package io.convoke.server.transcripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A search splits its text as the index splits segments. */
class SearchTermTest {
  private static final String ADDRESSED =
      "Mail ann.lee@convoke.io or see https://convoke.io/a-b/c <b>now</b>.Then";

  @Test
  void theIndexSeparatesWordsAtTheSameCharacters() {
    try (Database database =
        Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 1, "test", Migrations.SCHEMAS)) {
      String function =
          database.read(
              tx ->
                  tx.sql(
                          """
                          select pg_get_functiondef(
                            'convoke.transcript_vector(text, text)'::regprocedure) as source
                          """)
                      .one(resultRow -> resultRow.text("source")));
      assertThat(function).contains(SearchTerm.plain("text"));
    }
  }

  @Test
  void eachWordOfASegmentIsFound() {
    try (Database database =
        Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 1, "test", Migrations.SCHEMAS)) {
      List<SearchTerm> terms = database.read(tx -> SearchTerm.of(tx, ADDRESSED));
      assertThat(terms).hasSizeGreaterThan(10);
      boolean found =
          database.read(
              tx ->
                  tx.sql("select convoke.transcript_vector(?, 'en') @@ ?::tsquery as found")
                      .with(ADDRESSED, SearchTerm.tsquery(terms))
                      .one(resultRow -> resultRow.booleanAt("found")));
      assertThat(found).isTrue();
    }
  }
}
