package io.convoke.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

/** Rows are deleted once they are older than the setting says. */
class AuditRetentionTest {
  @Test
  void oldRowsAreDeletedBatchAfterBatch() {
    try (Database database = TestDatabase.fresh();
        AuditLog auditLog =
            new AuditLog(
                database, Duration.ofDays(30), new SimpleMeterRegistry(), InstantSource.system())) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into audit_log (at, action, actor, address, target)
                        select now() - n * interval '1 hour', 'changeUser', 'admin', '::1', 'user:1'
                        from generate_series(1, 3000) as n
                        """)
                    .update();
          });
      assertThat(auditLog.prune()).isPositive();
      assertThat(rows(database)).isEqualTo(719);
    }
  }

  private static long rows(Database database) {
    return database.read(
        tx ->
            tx.sql("select count(*) as n from audit_log").one(resultRow -> resultRow.longAt("n")));
  }
}
