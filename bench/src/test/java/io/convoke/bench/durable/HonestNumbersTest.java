package io.convoke.bench.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A number of the durable benchmark that cannot be right is not one of the report. */
final class HonestNumbersTest {
  private static final long DOWN = 10_000;
  private static final long BACK = 20_000;

  @Test
  void aTimerThatFiresAgainAfterTheKillStandsForNoOtherOne() {
    TimerLateness.TimerLatenessResult timers =
        TimerLateness.outcome(0, 3, List.of("1000 5000", "1000 900000", "2000 7000"), DOWN, BACK);

    assertThat(timers.fired()).isEqualTo(2);
    assertThat(timers.worst()).isEqualTo(7);
    assertThat(DurableBenchmark.wrong(List.of(), timers)).containsExactly("1 timers never fired");
  }

  @Test
  void aCandidateThatDidNothingIsNoMeasurement() {
    TimerLateness.TimerLatenessResult timers =
        TimerLateness.outcome(0, 1, List.of("1000 5"), DOWN, BACK);
    RateTable works =
        new RateTable(
            "work",
            List.of(
                new CandidateSeries("one", List.of(sample(3), sample(0))),
                new CandidateSeries("other", List.of(sample(3)))));

    assertThat(DurableBenchmark.wrong(List.of(works), timers))
        .containsExactly("one did nothing in 'work'");
  }

  @Test
  void whatLeavesTheTableUnbegunIsLost() throws Exception {
    QueueTurn turn = new LosingQueue().work(Duration.ofMillis(20));

    assertThat(turn.items()).isEqualTo(10);
    assertThat(turn.unbegun()).isEqualTo(3);
  }

  @Test
  void pgbenchIsMeasuredOnceItsClientsAreConnected() throws Exception {
    QueuedItems queued =
        PgBench.queued(
            """
            number of transactions actually processed: 5000
            number of failed transactions: 0 (0.000%)
            latency average = 6.400 ms
            initial connection time = 80.120 ms
            tps = 2500.000000 (without initial connection time)
            """);

    assertThat(queued).isEqualTo(new QueuedItems(5000, Duration.ofSeconds(2)));
    assertThatThrownBy(() -> PgBench.queued("pgbench: error: connection failed"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("connection failed");
  }

  private static MeasuredSample sample(long operations) {
    return new MeasuredSample(operations, 0, Duration.ofSeconds(1));
  }

  /** Its table is empty after one look, and its workers begin seven of ten. */
  private static final class LosingQueue implements JavaQueueLibrary {
    private final AtomicInteger looks = new AtomicInteger();

    @Override
    public String name() {
      return "losing";
    }

    @Override
    public void put(String payload) {}

    @Override
    public QueueWorkers workers(int count, Consumer<String> begun) {
      for (int i = 0; i < 7; i++) {
        begun.accept("item");
      }
      return () -> {};
    }

    @Override
    public int most() {
      return 1;
    }

    @Override
    public long queued() {
      return looks.getAndIncrement() == 0 ? 10 : 0;
    }

    @Override
    public void clear() {}

    @Override
    public void close() {}
  }
}
