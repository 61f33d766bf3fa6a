package io.convoke.bench.load;

import io.convoke.bench.report.MeasuredSample;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Sends at a fixed rate, even when the server falls behind: each millisecond the requests that are
 * due. Latency counts from the time that a request was due and not from when a connection was free
 * for it, so a stall counts for all requests that waited meanwhile.
 */
public final class FixedRateLoad {
  private static final long GRID_NANOS = 1_000_000;
  private static final Duration DRAIN_MAX = Duration.ofSeconds(5);

  private final InetSocketAddress address;
  private final int connections;
  private final double perSecond;
  private final Histogram times = MeasuredSample.histogram();
  private final Deque<LoadConnection> free = new ArrayDeque<>();
  private long failures;
  private long sent;

  private FixedRateLoad(InetSocketAddress address, int connections, double perSecond) {
    this.address = address;
    this.connections = connections;
    this.perSecond = perSecond;
  }

  /**
   * Drives a server for a span with so many requests a second.
   *
   * @return the sample without processor time
   * @throws IOException when a connection breaks or a response is missing
   */
  public static MeasuredSample drive(
      InetSocketAddress address,
      int connections,
      double perSecond,
      HttpRequestBytes requests,
      Duration span)
      throws IOException {
    return new FixedRateLoad(address, connections, perSecond).run(requests, span);
  }

  private MeasuredSample run(HttpRequestBytes requests, Duration span) throws IOException {
    List<LoadConnection> all = new ArrayList<>();
    try (Selector selector = Selector.open()) {
      for (int i = 0; i < connections; i++) {
        all.add(LoadConnection.open(address, selector, all.size()));
      }
      free.addAll(all);
      Thread pace = Thread.ofPlatform().daemon().name("pace").start(() -> pace(selector));
      long start = System.nanoTime();
      long total = Math.min(requests.size(), dueAt(span.toNanos() / GRID_NANOS));
      try {
        serve(selector, requests, start, total, span);
      } finally {
        pace.interrupt();
      }
      return MeasuredSample.of(times, failures, Duration.ofNanos(System.nanoTime() - start));
    } finally {
      for (LoadConnection loadConnection : all) {
        loadConnection.close();
      }
    }
  }

  /** Wakes the selector each millisecond; a selector alone cannot wait so precisely. */
  private static void pace(Selector selector) {
    long next = System.nanoTime();
    while (!Thread.currentThread().isInterrupted() && selector.isOpen()) {
      next += GRID_NANOS;
      LockSupport.parkNanos(next - System.nanoTime());
      Selector _ = selector.wakeup();
    }
  }

  private void serve(
      Selector selector, HttpRequestBytes requests, long start, long total, Duration span)
      throws IOException {
    while (times.getTotalCount() < total) {
      if (System.nanoTime() - start > span.plus(DRAIN_MAX).toNanos()) {
        throw new IOException((total - times.getTotalCount()) + " responses are missing");
      }
      int _ = selector.select(DRAIN_MAX.toMillis());
      for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
        SelectionKey key = keys.next();
        keys.remove();
        if (key.attachment() instanceof LoadConnection loadConnection) {
          if (key.isWritable()) {
            loadConnection.flush();
          }
          if (key.isReadable()) {
            answered(loadConnection);
          }
        }
      }
      long due = Math.min(total, dueAt((System.nanoTime() - start) / GRID_NANOS));
      while (sent < due && !free.isEmpty()) {
        free.removeFirst().send(requests.next(), start + whenDue(sent));
        sent++;
      }
    }
  }

  private void answered(LoadConnection loadConnection) throws IOException {
    int status = loadConnection.read();
    if (status != 0) {
      times.recordValue(System.nanoTime() - loadConnection.sentAt());
      failures += status / 100 == 2 ? 0 : 1;
      free.addLast(loadConnection);
    }
  }

  /** How many are due once so many milliseconds are over. */
  private long dueAt(long millis) {
    return (long) (millis * perSecond / 1000);
  }

  /** The millisecond in which a request became due, in nanoseconds from the start. */
  private long whenDue(long number) {
    return (long) Math.ceil((number + 1) * 1000 / perSecond) * GRID_NANOS;
  }
}
