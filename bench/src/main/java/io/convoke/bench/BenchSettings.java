package io.convoke.bench;

import java.time.Duration;
import java.util.List;

/**
 * How much a run measures.
 *
 * @param rounds turns of each candidate
 * @param span of one turn
 * @param warmUp of each candidate, before the first round
 * @param connections one table for each of these numbers
 * @param meetings tracked meetings that events are for
 * @param active active meetings of the presence benchmark
 * @param interleavings number of interleavings of the lost-signal test
 * @param seed of the first of them
 */
public record BenchSettings(
    int rounds,
    Duration span,
    Duration warmUp,
    List<Integer> connections,
    int meetings,
    int active,
    int interleavings,
    long seed) {

  static final BenchSettings FULL =
      new BenchSettings(
          5,
          Duration.ofSeconds(2),
          Duration.ofSeconds(8),
          List.of(16, 128),
          1000,
          100_000,
          1_000_000,
          1);

  /** Shows that a benchmark runs; its numbers mean nothing. */
  static final BenchSettings QUICK =
      new BenchSettings(
          2, Duration.ofMillis(300), Duration.ofMillis(300), List.of(16), 50, 1_000, 4_000, 1);

  /** The turns as text; one generator thread makes the load. */
  public String line() {
    return "rounds   %d of %.1f s each, interleaved; warm-up %.1f s each; one generator thread"
        .formatted(rounds, span.toMillis() / 1e3, warmUp.toMillis() / 1e3);
  }

  BenchSettings withRounds(int other) {
    return new BenchSettings(
        other, span, warmUp, connections, meetings, active, interleavings, seed);
  }

  BenchSettings withSpan(Duration other) {
    return new BenchSettings(
        rounds, other, warmUp, connections, meetings, active, interleavings, seed);
  }

  BenchSettings withConnections(List<Integer> others) {
    return new BenchSettings(
        rounds, span, warmUp, List.copyOf(others), meetings, active, interleavings, seed);
  }

  BenchSettings withActive(int other) {
    return new BenchSettings(
        rounds, span, warmUp, connections, meetings, other, interleavings, seed);
  }

  public BenchSettings withInterleavings(int other) {
    return new BenchSettings(rounds, span, warmUp, connections, meetings, active, other, seed);
  }

  BenchSettings withSeed(long other) {
    return new BenchSettings(
        rounds, span, warmUp, connections, meetings, active, interleavings, other);
  }
}
