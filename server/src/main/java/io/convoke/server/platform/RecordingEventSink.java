package io.convoke.server.platform;

/** Where authentic webhooks about recordings are put until somebody has time for them. */
@FunctionalInterface
public interface RecordingEventSink {

  /**
   * Keeps a body, without touching the database.
   *
   * @throws io.convoke.engine.redis.RedisUnavailable when it is not kept
   */
  void put(byte[] body);
}
