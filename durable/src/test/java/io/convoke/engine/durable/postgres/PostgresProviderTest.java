package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderConformance;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The conformance suite, with long polling enabled, disabled, and without a LISTEN connection. */
class PostgresProviderTest {
  static final DatabaseUrl NOWHERE = new DatabaseUrl("jdbc:postgresql://127.0.0.1:1/none", "", "");
  static final LongPollConfig DEGRADED =
      new LongPollConfig(
          true,
          Duration.ofSeconds(60),
          LongPollConfig.defaults().timerGrace(),
          Duration.ofMillis(10));

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
  @Tag("nightly")
  class Degraded extends ProviderConformance {
    @Override
    protected Provider open() {
      return PostgresProvider.open(fresh(), NOWHERE, "durable", DEGRADED);
    }
  }

  /** The three modes differ: notified, polling by configuration, polling without LISTEN. */
  @Test
  void theThreeWaysAreWhatTheySay() {
    try (PostgresProvider on = PostgresProvider.open(fresh(), "durable", CONFIG.on());
        PostgresProvider off = PostgresProvider.open(fresh(), "durable", CONFIG);
        PostgresProvider degraded = PostgresProvider.open(fresh(), NOWHERE, "durable", DEGRADED)) {
      NodeTestKit.await("it is told", on::announced);
      assertThat(on.connects()).isOne();
      assertThat(off.announced()).isFalse();
      assertThat(off.connects()).isZero();
      assertThat(degraded.announced()).isFalse();
      assertThat(degraded.connects()).isZero();
    }
  }

  private static DatabaseUrl fresh() {
    return DatabaseUrl.parse(LocalStores.forTests().freshDatabase(Template.NAME));
  }

  /** A database with the schema: each test gets a copy, which is faster than installing it. */
  private static final class Template {
    private static final String NAME = installed();

    private static String installed() {
      String url = LocalStores.forTests().freshDatabase();
      PostgresProvider.open(DatabaseUrl.parse(url), "durable", CONFIG).close();
      return URI.create(url).getPath().substring(1);
    }
  }
}
