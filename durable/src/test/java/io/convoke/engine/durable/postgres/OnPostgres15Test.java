package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderConformance;
import io.convoke.engine.sql.DatabaseUrl;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL 15 behaves like 18: the conformance suite in all three modes, the test plan, the
 * failure modes and the flaws. Every build runs the tests of locks; the rest is nightly.
 */
@Tag("nightly")
class OnPostgres15Test {
  private static final LongPollConfig CONFIG = LongPollConfig.defaults();

  @Test
  void itReallyIs15() {
    assertThat(OldPostgres.version()).startsWith(OldPostgres.VERSION);
  }

  @Nested
  @Tag("nightly")
  class LongPolling extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(fresh(), "durable", CONFIG.on());
    }
  }

  @Nested
  @Tag("nightly")
  class Disabled extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(fresh(), "durable", CONFIG);
    }
  }

  @Nested
  @Tag("nightly")
  class Degraded extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(
          fresh(), PostgresProviderTest.NOWHERE, "durable", PostgresProviderTest.DEGRADED);
    }
  }

  @Nested
  @Tag("nightly")
  class Plan extends SeedPlanTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }
  }

  @Nested
  @Tag("nightly")
  class Failures extends FailureModesTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }
  }

  @Nested
  @Tag("nightly")
  class Timers extends TimerFlawsTest {
    @Override
    String freshDatabase() {
      return OldPostgres.freshDatabase();
    }
  }

  @Nested
  @Tag("nightly")
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
  @Tag("nightly")
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
