package io.convoke.bench.durable;

/** Workers that run until they are closed. */
interface Workers extends AutoCloseable {
  @Override
  void close();
}
