package io.convoke.bench;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param rounds how often each candidate takes its turn
 * @param span of one turn
 * @param warmUp of each candidate, before the first round
 * @param connections one table for each of these numbers
 * @param meetings tracked meetings that events are for
 */
public record BenchSettings(
    int rounds, Duration span, Duration warmUp, List<Integer> connections, int meetings) {

  static final BenchSettings FULL =
      new BenchSettings(5, Duration.ofSeconds(2), Duration.ofSeconds(8), List.of(16, 128), 1000);

  /** Shows that a benchmark runs; its numbers mean nothing. */
  static final BenchSettings QUICK =
      new BenchSettings(2, Duration.ofMillis(300), Duration.ofMillis(300), List.of(16), 50);

  BenchSettings withRounds(int other) {
    return new BenchSettings(other, span, warmUp, connections, meetings);
  }

  BenchSettings withSpan(Duration other) {
    return new BenchSettings(rounds, other, warmUp, connections, meetings);
  }

  BenchSettings withConnections(List<Integer> others) {
    return new BenchSettings(rounds, span, warmUp, List.copyOf(others), meetings);
  }
}
