package io.convoke.bench.dispatch;

import java.time.Duration;

/** A task queue: producers, workers that do nothing, and a queue between them. */
interface DispatchCandidate extends AutoCloseable {
  /** The backlog at which producers pause, so that a turn ends soon after its last producer. */
  int BACKLOG = 10_000;

  /** As many letters as an ordinary payload has. */
  String PAYLOAD = "x".repeat(113);

  String name();

  /** Takes tasks in for so long, and answers when the last of them has ended. */
  DispatchTurn runTasks(Duration span) throws Exception;

  /** Cleans up after a turn, outside the measured time. */
  @Override
  void close();

  /**
   * A turn.
   *
   * @param tasks taken in, claimed and ended
   * @param span from the first call of a producer until the last task had ended
   */
  record DispatchTurn(long tasks, Duration span) {}
}
