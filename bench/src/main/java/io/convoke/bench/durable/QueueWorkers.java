package io.convoke.bench.durable;

/** Workers that run until they are closed. */
interface QueueWorkers extends AutoCloseable {
  @Override
  void close();
}
