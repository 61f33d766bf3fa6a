package io.convoke.server.transcripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.VisibleUsers;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Segments that an earlier release stored are found after an upgrade (transcripts-8). */
class SearchBackfillTest {
  @Test
  void storedSegmentsAreAddedInBatchesAndOnlyOnce() {
    try (Database database =
        Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 4, "test", Migrations.SCHEMAS)) {
      long user = storedBefore(database);
      SegmentSearch search = new SegmentSearch(database);
      assertThat(found(search, user)).isZero();
      SearchBackfill backfill = new SearchBackfill(database);
      int batches = 0;
      while (backfill.add()) {
        batches++;
      }
      assertThat(batches).isEqualTo(3);
      assertThat(found(search, user)).isEqualTo(200);
      assertThat(backfill.add()).isFalse();
    }
  }

  private static int found(SegmentSearch search, long user) {
    return search
        .search(
            "budget", Optional.of(VisibleUsers.alone(user)), new PageRequest(200, Optional.empty()))
        .items()
        .size();
  }

  /** A thousand segments without the trigger, as before the migration, and how it began. */
  private static long storedBefore(Database database) {
    return database.transaction(
        tx -> {
          long user =
              tx.sql("insert into users (email) values ('ann@example.org') returning id")
                  .one(resultRow -> resultRow.longAt("id"));
          int _ =
              tx.sql(
                      """
                      insert into meetings (user_id, platform, platform_specific_id, status)
                      values (?, 'zoom', '1', 'completed')
                      """)
                  .with(user)
                  .update();
          int _ = tx.sql("alter table transcriptions disable trigger user").update();
          int _ =
              tx.sql(
                      """
                      insert into transcriptions (meeting_id, start_time, end_time, text, completed)
                      select m.id, n, n, 'A budget', n > 1 from meetings m, generate_series(1, 1001) as n
                      """)
                  .update();
          int _ = tx.sql("alter table transcriptions enable trigger user").update();
          int _ =
              tx.sql(
                      """
                      update transcript_backfill
                      set next_id = (select min(id) from transcriptions),
                        last_id = (select max(id) from transcriptions)
                      """)
                  .update();
          return user;
        });
  }
}
