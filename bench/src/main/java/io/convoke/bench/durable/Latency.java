package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.Stores;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * From the call that queues an item to its start in another process, while nothing else happens.
 * Both processes read the same monotonic clock, as all processes of one Linux machine do.
 */
final class Latency {
  private static final Duration BETWEEN = Duration.ofMillis(20);
  private static final int WARM_UP = 100;

  private Latency() {}

  static Table measure(Stores stores, BenchSettings settings) throws Exception {
    String url = DurableBenchmark.fresh(stores, "latency");
    int items = Math.toIntExact(settings.span().dividedBy(BETWEEN)) * settings.rounds();
    try (PostgresProvider provider =
        PostgresProvider.open(DatabaseUrl.parse(url), "durable", LongPollConfig.defaults().on())) {
      Process worker = startWorker(url);
      try (BufferedReader output = worker.inputReader()) {
        String _ = output.readLine();
        List<Long> nanos = new ArrayList<>();
        long begun = System.nanoTime();
        for (int i = 0; i < WARM_UP + items; i++) {
          long called = System.nanoTime();
          provider.enqueueForWorker(
              new WorkMessage("i", 1, 1, Long.toString(called), Optional.empty()));
          String line = output.readLine();
          if (line == null) {
            throw new IOException("the worker ended");
          }
          if (i >= WARM_UP) {
            nanos.add(Long.parseLong(line));
          }
          LockSupport.parkNanos(BETWEEN.toNanos());
        }
        Collections.sort(nanos);
        Sample sample =
            new Sample(
                items,
                0,
                Duration.ofNanos(System.nanoTime() - begun),
                Duration.ofNanos(nanos.get(nanos.size() / 2)),
                Duration.ofNanos(nanos.get(nanos.size() * 99 / 100)),
                Duration.ZERO);
        return new Table("to another process", List.of(new Series("convoke", List.of(sample))));
      } finally {
        worker.destroy();
      }
    }
  }

  private static Process startWorker(String url) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            LatencyWorker.class.getName());
    String _ = builder.environment().put("DATABASE_URL", url);
    return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }
}
