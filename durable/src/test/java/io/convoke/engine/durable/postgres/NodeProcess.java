package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.DatabaseUrl;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** A process that works off items until it is killed: for each it sends one completion. */
final class NodeProcess {
  private static final int DISPATCHERS = 32;
  private static final Duration LOCK = Duration.ofSeconds(60);

  private NodeProcess() {}

  static Process start(DatabaseUrl url) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            NodeProcess.class.getName());
    String _ = builder.environment().put("NODE_JDBC", url.jdbc());
    String _ = builder.environment().put("NODE_USER", url.user());
    String _ = builder.environment().put("NODE_PASSWORD", url.password());
    return builder
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  public static void main(String[] arguments) throws InterruptedException {
    DatabaseUrl url =
        new DatabaseUrl(
            environment("NODE_JDBC"), environment("NODE_USER"), environment("NODE_PASSWORD"));
    try (PostgresProvider provider =
        PostgresProvider.open(url, "durable", LongPollConfig.defaults().on())) {
      Thread[] dispatchers = new Thread[DISPATCHERS];
      for (int i = 0; i < DISPATCHERS; i++) {
        dispatchers[i] = Thread.ofVirtual().start(() -> work(provider));
      }
      for (Thread dispatcher : dispatchers) {
        dispatcher.join();
      }
    }
  }

  private static void work(PostgresProvider provider) {
    while (true) {
      try {
        Optional<WorkItem> item = provider.fetchWorkItem(LOCK, LOCK);
        if (item.isPresent()) {
          LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(20_000_000));
          InstanceMessage done =
              new InstanceMessage(item.get().instanceId(), "attempt " + item.get().attempt());
          LockStatus _ = provider.ackWorkItem(item.get().lockToken(), Optional.of(done));
        }
      } catch (ProviderFailure | InterruptedException e) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  private static String environment(String name) {
    return Optional.ofNullable(System.getenv(name)).orElseThrow();
  }
}
