package io.convoke.server.platform;

/** Queue for authentic recording webhooks. */
@FunctionalInterface
public interface RecordingEventSink {

  /**
   * Enqueues a body, without a write to Postgres.
   *
   * @throws io.convoke.engine.redis.RedisUnavailable when it was not enqueued
   */
  void put(byte[] body);
}
