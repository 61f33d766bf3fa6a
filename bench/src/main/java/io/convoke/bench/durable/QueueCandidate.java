package io.convoke.bench.durable;

import java.time.Duration;

/** A queue on a database of its own. */
interface QueueCandidate extends AutoCloseable {
  String name();

  /** Queues from many callers, each waiting for its own commit. */
  QueuedItems enqueue(int callers, Duration span) throws Exception;

  /** Works off what is queued, for so long at most. */
  QueueTurn work(Duration atMost) throws Exception;

  /** Items that are queued and not done yet. */
  long queued() throws Exception;

  /** Leaves nothing queued and nothing done: outside the clock, for the next turn. */
  void clear() throws Exception;

  @Override
  void close();
}
