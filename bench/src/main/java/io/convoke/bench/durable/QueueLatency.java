package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.process.WatchedProcess;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * From the call that queues an item to its start in another process, while nothing else happens.
 * Both processes read the same monotonic clock, as all processes of one Linux machine do.
 */
final class QueueLatency {
  private static final Duration BETWEEN = Duration.ofMillis(20);
  private static final Duration LOST = Duration.ofSeconds(30);
  private static final String WORKERS = "16";
  private static final int WARM_UP = 100;

  /** JobRunr looks each 5 s, so that a few say enough. */
  private static final int SLOW = 5;

  private QueueLatency() {}

  /** Queues an item whose text is the clock's nanoseconds. */
  interface ItemSubmission {
    void now() throws Exception;
  }

  static RateTable measure(
      LocalStores localStores, List<NodeQueueCandidate.NodeQueueKind> nodes, BenchSettings settings)
      throws Exception {
    int items = Math.toIntExact(settings.span().dividedBy(BETWEEN)) * settings.rounds();
    List<CandidateSeries> series = new ArrayList<>();
    List<String> names = new ArrayList<>(List.of(PostgresNotifyBaseline.NAME));
    names.addAll(JavaQueueLibraries.of(settings));
    for (String name : names) {
      String url = DurableBenchmark.fresh(localStores, "latency_" + database(name));
      try (JavaQueueLibrary javaQueueLibrary = JavaQueueLibraries.open(name, url);
          WatchedProcess worker =
              new WatchedProcess(
                  LibraryWorkerProcess.start(LibraryWorkerProcess.class, url, name, WORKERS))) {
        series.add(
            series(
                name,
                worker,
                name.equals(JobRunrQueue.NAME) ? Math.min(items / 20, SLOW) + 1 : items,
                () -> javaQueueLibrary.put(Long.toString(System.nanoTime()))));
      }
    }
    for (NodeQueueCandidate.NodeQueueKind nodeQueueKind : nodes) {
      String url =
          DurableBenchmark.fresh(localStores, "latency_" + database(nodeQueueKind.shown()));
      try (NodeQueueCandidate producer = nodeQueueKind.open(url);
          WatchedProcess worker = nodeQueueKind.watch(url, WORKERS)) {
        series.add(series(nodeQueueKind.shown(), worker, items, producer::putNow));
      }
    }
    return new RateTable("to another process", series);
  }

  private static String database(String name) {
    return name.toLowerCase(Locale.ROOT).replace('-', '_').replace(' ', '_');
  }

  private static CandidateSeries series(
      String name, WatchedProcess worker, int items, ItemSubmission put) throws Exception {
    int warmUp = Math.min(WARM_UP, items / 5);
    Histogram nanos = MeasuredSample.histogram();
    long begun = System.nanoTime();
    for (int i = 0; i < warmUp + items; i++) {
      put.now();
      long took = Long.parseLong(worker.next(LOST));
      if (i >= warmUp) {
        nanos.recordValue(Math.max(0, took));
      }
      LockSupport.parkNanos(BETWEEN.toNanos());
    }
    return new CandidateSeries(
        name, List.of(MeasuredSample.of(nanos, 0, Duration.ofNanos(System.nanoTime() - begun))));
  }
}
