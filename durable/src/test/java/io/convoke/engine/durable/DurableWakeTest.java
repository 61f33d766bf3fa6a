package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The runtime does not sleep where the provider waits. */
class DurableWakeTest {
  /**
   * Flaw 28. With long polling the runtime does not sleep between two fetches: after empty fetches
   * of all dispatchers, new work starts at once.
   */
  @Test
  void aRuntimeThatWasIdleIsThereAtOnce() throws Exception {
    LongPollConfig config =
        new LongPollConfig(
            true, Duration.ofMinutes(1), Duration.ofMillis(50), Duration.ofMinutes(1));
    PostgresProvider provider =
        PostgresProvider.open(
            DatabaseUrl.parse(LocalStores.forTests().freshDatabase()), "durable", config);
    try (Durable engine =
        Durable.over(provider, config)
            .activity("greet", String.class, (context, name) -> "Hello " + name)
            .workflow(
                "hello",
                String.class,
                (context, name) -> context.activity("greet", name, String.class))
            .start()) {
      Duration longerThanAPoll = Duration.ofMillis(1500);
      assertThat(provider.fetchWorkItem(Duration.ofSeconds(30), longerThanAPoll)).isEmpty();
      engine.start("hello", "hello-1", "World");
      assertThat(engine.await("hello-1", String.class, Duration.ofSeconds(10)))
          .isEqualTo("Hello World");
    }
  }
}
