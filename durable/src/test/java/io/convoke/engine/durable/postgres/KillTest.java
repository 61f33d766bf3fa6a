package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Processes that are killed while they work, under locks of a minute: all work is done, each item
 * is acked exactly once, and no work waits until a lock expires.
 */
@Tag("nightly")
class KillTest extends NodeTestKit {
  private static final int NODES = 2;
  private static final int KILLS = 6;
  private static final Duration TOO_LONG = Duration.ofSeconds(100);

  @Test
  void killingNodesLosesNothingAndDoublesNothing() throws Exception {
    Random random = new Random(7);
    List<Process> nodes = new ArrayList<>();
    AtomicLong queued = new AtomicLong();
    long end = System.nanoTime() + TOO_LONG.toNanos();
    try (PostgresProvider producer =
            PostgresProvider.open(url, "durable", LongPollConfig.defaults());
        ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < NODES; i++) {
        nodes.add(NodeProcess.start(url));
      }
      int kills = 0;
      while (kills < KILLS) {
        assertThat(System.nanoTime()).as("in time, after %d kills", kills).isLessThan(end);
        Future<?> burst = thread.submit(() -> burst(producer, queued));
        long wanted = queued.get() + 50 + random.nextInt(150);
        while (done() < Math.min(wanted, queued.get()) && System.nanoTime() < end) {
          LockSupport.parkNanos(2_000_000);
        }
        var _ = burst.get();
        nodes.removeFirst().destroyForcibly().waitFor();
        kills++;
        nodes.add(NodeProcess.start(url));
      }
      while (done() < queued.get() && System.nanoTime() < end) {
        LockSupport.parkNanos(20_000_000);
      }
    } finally {
      nodes.forEach(Process::destroyForcibly);
    }
    assertThat(done()).as("completions").isEqualTo(queued.get());
    assertThat(instances()).as("of different items").isEqualTo(queued.get());
    assertThat(left()).isZero();
  }

  private static void burst(PostgresProvider producer, AtomicLong queued) {
    for (int i = 0; i < 300; i++) {
      String instance = "item-" + queued.incrementAndGet();
      producer.enqueueForWorker(new WorkMessage(instance, 1, 1, "work", Optional.empty()));
    }
  }

  private long done() {
    return count("select count(*) as n from orchestrator_queue");
  }

  private long instances() {
    return count("select count(distinct instance_id) as n from orchestrator_queue");
  }

  private long left() {
    return count("select count(*) as n from worker_queue");
  }

  private long count(String sql) {
    return foreign.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }
}
