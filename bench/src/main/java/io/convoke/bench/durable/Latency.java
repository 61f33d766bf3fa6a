package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.child.Watched;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * From the call that queues an item to its start in another process, while nothing else happens.
 * Both processes read the same monotonic clock, as all processes of one Linux machine do.
 */
final class Latency {
  private static final Duration BETWEEN = Duration.ofMillis(20);
  private static final Duration LOST = Duration.ofSeconds(30);
  private static final String WORKERS = "16";
  private static final int WARM_UP = 100;

  /** JobRunr looks each 5 s, so that a few say enough. */
  private static final int SLOW = 5;

  private Latency() {}

  /** Queues an item whose text is the clock's nanoseconds. */
  interface Putting {
    void now() throws Exception;
  }

  static Table measure(Stores stores, List<NodePeer.Kind> nodes, BenchSettings settings)
      throws Exception {
    int items = Math.toIntExact(settings.span().dividedBy(BETWEEN)) * settings.rounds();
    List<Series> series = new ArrayList<>();
    List<String> names = new ArrayList<>(List.of(BareNotify.NAME));
    names.addAll(Libraries.of(settings));
    for (String name : names) {
      String url = DurableBenchmark.fresh(stores, "latency_" + database(name));
      try (Library library = Libraries.open(name, url);
          Watched worker =
              new Watched(LibraryWorker.start(LibraryWorker.class, url, name, WORKERS))) {
        series.add(
            series(
                name,
                worker,
                name.equals(JobRunrQueue.NAME) ? Math.min(items / 20, SLOW) + 1 : items,
                () -> library.put(Long.toString(System.nanoTime()))));
      }
    }
    for (NodePeer.Kind kind : nodes) {
      String url = DurableBenchmark.fresh(stores, "latency_" + database(kind.shown()));
      try (NodePeer producer = kind.open(url);
          Watched worker = kind.watch(url, WORKERS)) {
        series.add(series(kind.shown(), worker, items, producer::putNow));
      }
    }
    return new Table("to another process", series);
  }

  private static String database(String name) {
    return name.toLowerCase(Locale.ROOT).replace('-', '_').replace(' ', '_');
  }

  private static Series series(String name, Watched worker, int items, Putting put)
      throws Exception {
    int warmUp = Math.min(WARM_UP, items / 5);
    List<Long> nanos = new ArrayList<>();
    long begun = System.nanoTime();
    for (int i = 0; i < warmUp + items; i++) {
      put.now();
      long took = Long.parseLong(worker.next(LOST));
      if (i >= warmUp) {
        nanos.add(took);
      }
      LockSupport.parkNanos(BETWEEN.toNanos());
    }
    Collections.sort(nanos);
    return new Series(
        name,
        List.of(
            new Sample(
                items,
                0,
                Duration.ofNanos(System.nanoTime() - begun),
                Duration.ofNanos(nanos.get(nanos.size() / 2)),
                Duration.ofNanos(nanos.get(nanos.size() * 99 / 100)),
                Duration.ZERO)));
  }
}
