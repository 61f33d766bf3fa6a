package io.convoke.engine.redis;

/** Redis is out of reach or did not answer within the bound of a command. */
public final class RedisUnavailable extends RuntimeException {
  RedisUnavailable(Throwable cause) {
    super("Redis is out of reach", cause);
  }
}
