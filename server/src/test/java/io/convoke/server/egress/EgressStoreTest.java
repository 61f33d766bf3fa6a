package io.convoke.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.TableReads;
import io.convoke.server.egress.EgressStore.EndedEgress;
import org.junit.jupiter.api.Test;

/** What a round of the retention reads where many egresses are kept. */
class EgressStoreTest {
  @Test
  void egressesThatWereCountedAreNotReadAgain() {
    try (Database database =
        Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into egresses (task_id, room, kind, state, created_at, ended_at, bytes)
                        select n::text, 'stage', 'record', 'SUCCESS', now(),
                          now() - n * interval '1 second', nullif(n, 7)
                        from generate_series(1, 20000) n
                        """)
                    .update();
            int _ = tx.sql("analyze egresses").update();
          });
      EgressStore store = new EgressStore(database);
      long read =
          TableReads.of(
              database,
              "egresses",
              () ->
                  assertThat(store.uncounted(200))
                      .extracting(EndedEgress::taskId)
                      .containsExactly("7"));
      assertThat(read).isLessThan(10);
    }
  }
}
