package io.convoke.bench.dispatch;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.child.Watched;
import io.convoke.bench.load.Histogram;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.engine.dispatch.Dispatch;
import io.convoke.engine.dispatch.Enqueued;
import io.convoke.engine.dispatch.Ledger;
import io.convoke.engine.dispatch.Tasks;
import io.convoke.engine.redis.Redis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * From the call that takes a task in to its start in another process, while nothing else happens:
 * one from each candidate in turn. All processes read the same monotonic clock.
 */
final class Latencies {
  private static final Duration BETWEEN = Duration.ofMillis(10);
  private static final Duration LOST = Duration.ofSeconds(30);

  /**
   * Without pauses, for each: a JVM that has seen a few hundred tasks still interprets its code.
   */
  private static final int WARM_UP = 3_000;

  private Latencies() {}

  /** Takes in a task whose payload is the clock's nanoseconds. */
  private interface Putting {
    void now() throws Exception;
  }

  private record Way(String name, Watched worker, Putting put, Histogram times) {
    private Way(String name, Watched worker, Putting put) {
      this(name, worker, put, new Histogram());
    }

    /** Takes a task in and answers the nanoseconds until its start. */
    private long once() throws Exception {
      put.now();
      return Long.parseLong(worker.next(LOST));
    }
  }

  static Table measure(String url, Optional<BullMq> bullMq, BenchSettings settings)
      throws Exception {
    boolean quick = settings.rounds() < 3;
    int items = quick ? 20 : 200 * settings.rounds();
    List<AutoCloseable> open = new ArrayList<>();
    try {
      List<Way> ways = new ArrayList<>();
      ways.add(streams(url, open));
      if (bullMq.isPresent()) {
        ways.add(bullMq(bullMq.get(), url, open));
      }
      ways.add(convoke(url, open));
      for (Way way : ways) {
        for (int i = 0; i < (quick ? 1 : WARM_UP); i++) {
          long _ = way.once();
        }
      }
      long begun = System.nanoTime();
      for (int i = 0; i < items; i++) {
        for (Way way : ways) {
          way.times.add(way.once());
          LockSupport.parkNanos(BETWEEN.toNanos());
        }
      }
      Duration span = Duration.ofNanos(System.nanoTime() - begun);
      return new Table("to another process", ways.stream().map(way -> series(way, span)).toList());
    } finally {
      for (AutoCloseable one : open.reversed()) {
        one.close();
      }
    }
  }

  private static Series series(Way way, Duration span) {
    return new Series(
        way.name,
        List.of(
            new Sample(
                way.times.total(),
                0,
                span,
                way.times.percentile(0.5),
                way.times.percentile(0.99),
                Duration.ZERO)));
  }

  private static Way convoke(String url, List<AutoCloseable> open) throws Exception {
    Watched worker = opened(new Watched(WorkerProcess.start(ConvokeLine.NAME, url)), open);
    Redis redis = opened(Redis.open(url), open);
    Dispatch dispatch =
        opened(new Dispatch(new Tasks(redis, ConvokeLine.TERMS), Ledger.NONE), open);
    return new Way(
        ConvokeLine.NAME,
        worker,
        () -> {
          String stamp = Long.toString(System.nanoTime());
          Enqueued _ = dispatch.submit(ConvokeLine.task(UUID.randomUUID().toString(), "c", stamp));
        });
  }

  private static Way streams(String url, List<AutoCloseable> open) throws Exception {
    Watched worker = opened(new Watched(WorkerProcess.start(StreamsLine.NAME, url)), open);
    RedisClient client = RedisClient.create(url);
    boolean _ = open.add(client::shutdown);
    StatefulRedisConnection<String, String> connection = client.connect();
    return new Way(
        StreamsLine.NAME,
        worker,
        () -> {
          String _ =
              connection
                  .sync()
                  .xadd(WorkerProcess.STREAM, Map.of("payload", Long.toString(System.nanoTime())));
        });
  }

  private static Way bullMq(BullMq programs, String url, List<AutoCloseable> open)
      throws Exception {
    Watched worker = opened(programs.workers(url, 1, 16), open);
    BullMqLine.ok(BullMqLine.ask(worker, "watch"));
    Watched producer = opened(programs.producer(url), open);
    return new Way(BullMq.NAME, worker, () -> BullMqLine.ok(BullMqLine.ask(producer, "put")));
  }

  private static <T extends AutoCloseable> T opened(T one, List<AutoCloseable> open) {
    boolean _ = open.add(one);
    return one;
  }
}
