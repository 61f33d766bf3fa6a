package io.convoke.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.audit.AuditEntry.NewAuditEntry;
import io.convoke.server.http.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rows that wait for Postgres. */
class AuditBacklogTest {
  private static final Instant EARLIER = Instant.parse("2026-03-01T09:00:00Z");

  private final List<String> written = new ArrayList<>();
  private boolean away = true;

  private static NewAuditEntry entry(int number) {
    return new NewAuditEntry(
        Optional.of(EARLIER),
        "stopTask",
        "user:7",
        Optional.of(3L),
        "::1",
        "task:" + number,
        Optional.empty(),
        Optional.empty());
  }

  private void write(List<NewAuditEntry> batch) {
    if (away) {
      throw new StoreUnavailable("Postgres is away");
    }
    batch.forEach(entry -> written.add(entry.target()));
  }

  @Test
  void theyAreWrittenInTheirOrderOnceItIsBack() {
    try (AuditBacklog backlog = new AuditBacklog(this::write)) {
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 1200; i++) {
        assertThat(backlog.add(entry(i))).isTrue();
        expected.add("task:" + i);
      }
      assertThatThrownBy(backlog::flush).isInstanceOf(StoreUnavailable.class);
      assertThat(backlog.isEmpty()).isFalse();
      away = false;
      backlog.flush();
      assertThat(backlog.isEmpty()).isTrue();
      assertThat(written).isEqualTo(expected);
    }
  }

  @Test
  void theirNumberIsBounded() {
    try (AuditBacklog backlog = new AuditBacklog(this::write)) {
      for (int i = 0; i < AuditBacklog.ENTRIES_MAX; i++) {
        assertThat(backlog.add(entry(i))).isTrue();
      }
      assertThat(backlog.add(entry(-1))).isFalse();
    }
  }

  @Test
  void aRowHasTheTimeOfItsAction() {
    try (Database database = TestDatabase.fresh();
        AuditLog auditLog =
            new AuditLog(
                database, Duration.ZERO, new SimpleMeterRegistry(), InstantSource.system())) {
      database.run(tx -> tx.run(List.of(entry(1).insert(tx))));
      assertThat(auditLog.list(Long.MAX_VALUE, 2))
          .singleElement()
          .extracting(AuditEntry::at)
          .isEqualTo(EARLIER);
    }
  }
}
