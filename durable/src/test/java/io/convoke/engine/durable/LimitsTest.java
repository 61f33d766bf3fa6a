package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** At most three of a key at the same time on two nodes, one of which is killed amid its work. */
class LimitsTest {
  private static final Duration LONG = Duration.ofSeconds(25);
  private static final int PEOPLE = 100;

  private final String url = LocalStores.forTests().freshDatabase();
  private final Database database =
      Database.open(DatabaseUrl.parse(url), 4, "test", List.of("public"));

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  @Tag("nightly")
  void threeAtATimeOnTwoNodesAlthoughOneIsKilled() throws Exception {
    ConcurrencyLimitProcess.install(database);
    try (Durable engine = ConcurrencyLimitProcess.start(url, database, "test")) {
      Process other = ConcurrencyLimitProcess.process(url);
      try {
        await("select exists (select from ready) as it");
        engine.start("march", "m", PEOPLE);
        await("select count(*) >= 20 as it from crossed");
        await("select exists (select from crossing where node = 'process') as it");
        var _ = other.destroyForcibly().waitFor();
        assertThat(engine.await("m", Integer.class, LONG)).isEqualTo(PEOPLE);
      } finally {
        var _ = other.destroyForcibly();
      }
    }
    assertThat(number("select max(most) as n from crossed"))
        .isEqualTo(ConcurrencyLimitProcess.AT_MOST);
    assertThat(number("select count(distinct person) as n from crossed")).isEqualTo(PEOPLE);
    assertThat(number("select count(*) as n from crossing")).isZero();
  }

  @Test
  void aLimitOfNothingIsRefused() {
    assertThatThrownBy(() -> ActivityOptions.ONCE.atMost(0, "the bridge"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the bridge");
    assertThatThrownBy(() -> ActivityOptions.ONCE.atMost(1, ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ActivityOptions.ONCE.atMost(1, "a\0"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("U+0000");
  }

  private void await(String condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!database.read(tx -> tx.sql(condition).one(resultRow -> resultRow.booleanAt("it")))) {
      assertThat(System.nanoTime()).as(condition).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  private long number(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }
}
