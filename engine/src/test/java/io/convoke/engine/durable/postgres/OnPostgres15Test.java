package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderConformance;
import io.convoke.engine.sql.DatabaseUrl;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL 15 does what 18 does: the conformance suite in all three ways of waiting, the seed's
 * test plan, its failure modes and its flaws.
 */
class OnPostgres15Test {
  private static final LongPollConfig CONFIG = LongPollConfig.defaults();

  @Nested
  class LongPolling extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(fresh(), "durable", CONFIG.on());
    }
  }

  @Nested
  class Disabled extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(fresh(), "durable", CONFIG);
    }
  }

  @Nested
  class Degraded extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(
          fresh(), PostgresProviderTest.NOWHERE, "durable", PostgresProviderTest.DEGRADED);
    }
  }

  @Nested
  class Plan extends SeedPlanTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }

    @Test
    void itReallyIs15() {
      String version =
          foreign.read(
              tx ->
                  tx.sql("select current_setting('server_version') as v")
                      .one(row -> row.text("v")));
      assertThat(version).startsWith(OldPostgres.VERSION);
    }
  }

  @Nested
  class Failures extends FailureModesTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }
  }

  @Nested
  class Timers extends TimerFlawsTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }
  }

  @Nested
  class Flaws extends SeedFlawsTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }
  }

  @Nested
  class Locks extends LockFlawsTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }
  }

  @Nested
  class Nodes extends MultiNodeTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }
  }

  private static DatabaseUrl fresh() {
    return DatabaseUrl.parse(OldPostgres.freshDatabase());
  }
}
