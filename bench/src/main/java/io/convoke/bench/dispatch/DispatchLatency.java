package io.convoke.bench.dispatch;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.process.WatchedProcess;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import io.convoke.engine.dispatch.DispatchService;
import io.convoke.engine.dispatch.DurableTaskStore;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.TaskQueue;
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
import org.HdrHistogram.Histogram;

/**
 * From the call that takes a task in to its start in another process, while nothing else happens:
 * one from each candidate in turn. All processes read the same monotonic clock.
 */
final class DispatchLatency {
  private static final Duration BETWEEN = Duration.ofMillis(10);
  private static final Duration LOST = Duration.ofSeconds(30);

  /**
   * Without pauses, for each: a JVM that has seen a few hundred tasks still interprets its code.
   */
  private static final int WARM_UP = 3_000;

  private DispatchLatency() {}

  /** Takes in a task whose payload is the clock's nanoseconds. */
  private interface TaskSubmission {
    void now() throws Exception;
  }

  private record DispatchLatencyCandidate(
      String name, WatchedProcess worker, TaskSubmission put, Histogram times) {
    private DispatchLatencyCandidate(String name, WatchedProcess worker, TaskSubmission put) {
      this(name, worker, put, MeasuredSample.histogram());
    }

    /** Takes a task in and answers the nanoseconds until its start. */
    private long once() throws Exception {
      put.now();
      return Long.parseLong(worker.next(LOST));
    }
  }

  static RateTable measure(String url, Optional<BullMqScripts> bullMq, BenchSettings settings)
      throws Exception {
    boolean quick = settings.rounds() < 3;
    int items = quick ? 20 : 200 * settings.rounds();
    List<AutoCloseable> open = new ArrayList<>();
    try {
      List<DispatchLatencyCandidate> ways = new ArrayList<>();
      ways.add(streams(url, open));
      if (bullMq.isPresent()) {
        ways.add(bullMq(bullMq.get(), url, open));
      }
      ways.add(convoke(url, open));
      for (DispatchLatencyCandidate candidate : ways) {
        for (int i = 0; i < (quick ? 1 : WARM_UP); i++) {
          long _ = candidate.once();
        }
      }
      long begun = System.nanoTime();
      for (int i = 0; i < items; i++) {
        for (DispatchLatencyCandidate candidate : ways) {
          candidate.times.recordValue(Math.max(0, candidate.once()));
          LockSupport.parkNanos(BETWEEN.toNanos());
        }
      }
      Duration span = Duration.ofNanos(System.nanoTime() - begun);
      return new RateTable(
          "to another process", ways.stream().map(candidate -> series(candidate, span)).toList());
    } finally {
      for (AutoCloseable one : open.reversed()) {
        one.close();
      }
    }
  }

  private static CandidateSeries series(DispatchLatencyCandidate candidate, Duration span) {
    return new CandidateSeries(
        candidate.name, List.of(MeasuredSample.of(candidate.times, 0, span)));
  }

  private static DispatchLatencyCandidate convoke(String url, List<AutoCloseable> open)
      throws Exception {
    WatchedProcess worker =
        opened(
            new WatchedProcess(DispatchWorkerProcess.start(ConvokeDispatchCandidate.NAME, url)),
            open);
    Redis redis = opened(Redis.open(url), open);
    DispatchService dispatchService =
        opened(
            new DispatchService(
                new TaskQueue(redis, ConvokeDispatchCandidate.TERMS), DurableTaskStore.NONE),
            open);
    return new DispatchLatencyCandidate(
        ConvokeDispatchCandidate.NAME,
        worker,
        () -> {
          String stamp = Long.toString(System.nanoTime());
          EnqueueResult _ =
              dispatchService.submit(
                  ConvokeDispatchCandidate.task(UUID.randomUUID().toString(), "c", stamp));
        });
  }

  private static DispatchLatencyCandidate streams(String url, List<AutoCloseable> open)
      throws Exception {
    WatchedProcess worker =
        opened(
            new WatchedProcess(DispatchWorkerProcess.start(RedisStreamsCandidate.NAME, url)), open);
    RedisClient client = RedisClient.create(url);
    boolean _ = open.add(client::shutdown);
    StatefulRedisConnection<String, String> connection = client.connect();
    return new DispatchLatencyCandidate(
        RedisStreamsCandidate.NAME,
        worker,
        () -> {
          String _ =
              connection
                  .sync()
                  .xadd(
                      DispatchWorkerProcess.STREAM,
                      Map.of("payload", Long.toString(System.nanoTime())));
        });
  }

  private static DispatchLatencyCandidate bullMq(
      BullMqScripts programs, String url, List<AutoCloseable> open) throws Exception {
    WatchedProcess worker = opened(programs.workers(url, 1, 16), open);
    BullMqCandidate.ok(BullMqCandidate.ask(worker, "watch"));
    WatchedProcess producer = opened(programs.producer(url), open);
    return new DispatchLatencyCandidate(
        BullMqScripts.NAME, worker, () -> BullMqCandidate.ok(BullMqCandidate.ask(producer, "put")));
  }

  private static <T extends AutoCloseable> T opened(T one, List<AutoCloseable> open) {
    boolean _ = open.add(one);
    return one;
  }
}
