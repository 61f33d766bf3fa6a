package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderConformance;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** The one suite, with long polling on, off, and degraded because nobody can listen. */
class PostgresProviderTest {
  private static final LongPollConfig CONFIG = LongPollConfig.defaults();

  @Nested
  class LongPolling extends ProviderConformance {
    @Override
    protected Provider open() {
      return provider(CONFIG.on());
    }
  }

  @Nested
  class Disabled extends ProviderConformance {
    @Override
    protected Provider open() {
      return provider(CONFIG);
    }
  }

  @Nested
  class Degraded extends ProviderConformance {
    @Override
    protected Provider open() {
      DatabaseUrl url = DatabaseUrl.parse(Stores.forTests().freshDatabase());
      LongPollConfig config =
          new LongPollConfig(
              true, Duration.ofSeconds(60), CONFIG.timerGrace(), Duration.ofMillis(10));
      DatabaseUrl nowhere = new DatabaseUrl("jdbc:postgresql://127.0.0.1:1/none", "", "");
      return PostgresProvider.open(url, nowhere, "durable", config);
    }
  }

  private static Provider provider(LongPollConfig config) {
    DatabaseUrl url = DatabaseUrl.parse(Stores.forTests().freshDatabase());
    return PostgresProvider.open(url, "durable", config);
  }
}
