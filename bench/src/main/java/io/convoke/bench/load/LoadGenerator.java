package io.convoke.bench.load;

import io.convoke.bench.report.MeasuredSample;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Keeps connections busy: each sends its next request as soon as the response has arrived. One
 * thread on a selector, no object per request.
 */
public final class LoadGenerator {
  private static final Duration DRAIN_MAX = Duration.ofSeconds(5);

  private final InetSocketAddress address;

  /** The requests of each connection, by its number. */
  private final List<HttpRequestBytes> requests;

  private final Histogram times = MeasuredSample.histogram();
  private long failures;
  private int waiting;

  private LoadGenerator(InetSocketAddress address, List<HttpRequestBytes> requests) {
    this.address = address;
    this.requests = requests;
  }

  /**
   * Drives a server for a span, or until all requests are sent, with one connection for each
   * caller.
   *
   * @return the sample without processor time
   * @throws IOException when a connection breaks: such a run measures nothing
   */
  public static MeasuredSample drive(
      InetSocketAddress address, List<HttpRequestBytes> callers, Duration span) throws IOException {
    return new LoadGenerator(address, callers).run(span);
  }

  private MeasuredSample run(Duration span) throws IOException {
    List<LoadConnection> all = new ArrayList<>();
    try (Selector selector = Selector.open()) {
      for (int i = 0; i < requests.size(); i++) {
        all.add(LoadConnection.open(address, selector, i));
      }
      long start = System.nanoTime();
      long end = start + span.toNanos();
      for (LoadConnection loadConnection : all) {
        next(loadConnection);
      }
      long last = serve(selector, end);
      return MeasuredSample.of(times, failures, Duration.ofNanos(last - start));
    } finally {
      for (LoadConnection loadConnection : all) {
        loadConnection.close();
      }
    }
  }

  /**
   * Serves until every request sent before the end is answered; returns the time of the last
   * answer.
   */
  private long serve(Selector selector, long end) throws IOException {
    long now = System.nanoTime();
    while (waiting > 0) {
      if (now - end > DRAIN_MAX.toNanos()) {
        throw new IOException(waiting + " responses are missing");
      }
      int _ = selector.select(DRAIN_MAX.toMillis());
      now = System.nanoTime();
      for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
        SelectionKey key = keys.next();
        keys.remove();
        if (key.attachment() instanceof LoadConnection loadConnection) {
          if (key.isWritable()) {
            loadConnection.flush();
          }
          if (key.isReadable()) {
            now = answered(loadConnection, end);
          }
        }
      }
    }
    return now;
  }

  private long answered(LoadConnection loadConnection, long end) throws IOException {
    int status = loadConnection.read();
    long now = System.nanoTime();
    if (status != 0) {
      times.recordValue(now - loadConnection.sentAt());
      failures += status / 100 == 2 ? 0 : 1;
      waiting--;
      if (now < end) {
        next(loadConnection);
      }
    }
    return now;
  }

  private void next(LoadConnection loadConnection) throws IOException {
    HttpRequestBytes own = requests.get(loadConnection.number());
    if (!own.exhausted()) {
      loadConnection.send(own.next());
      waiting++;
    }
  }
}
