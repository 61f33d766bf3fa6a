package io.convoke.bench.durable;

import java.time.Duration;

/** A queue on a database of its own. */
interface Contender extends AutoCloseable {
  String name();

  /** Queues from many callers, each waiting for its own commit; answers how many were queued. */
  long enqueue(int callers, Duration span) throws Exception;

  /** Works off everything that is queued and answers how much that was. */
  long work() throws Exception;

  /** Rows that are queued now. */
  long queued() throws Exception;

  @Override
  void close();
}
