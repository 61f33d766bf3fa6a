package io.convoke.bench.durable;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.DatabaseUrl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** The other process: says how many nanoseconds after its call each item is in its hands. */
final class LatencyWorker {
  private static final Duration LOCK = Duration.ofSeconds(30);

  private LatencyWorker() {}

  public static void main(String[] arguments) throws Exception {
    String url = Optional.ofNullable(System.getenv("DATABASE_URL")).orElseThrow();
    try (PostgresProvider provider =
        PostgresProvider.open(DatabaseUrl.parse(url), "durable", LongPollConfig.defaults().on())) {
      while (!provider.announced()) {
        LockSupport.parkNanos(1_000_000);
      }
      say("ready");
      while (true) {
        Optional<WorkItem> item = provider.fetchWorkItem(LOCK, LOCK);
        if (item.isPresent()) {
          say(Long.toString(System.nanoTime() - Long.parseLong(item.get().item())));
          Held _ = provider.ackWorkItem(item.get().lockToken(), Optional.empty());
        }
      }
    }
  }

  private static void say(String line) throws IOException {
    System.out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }
}
