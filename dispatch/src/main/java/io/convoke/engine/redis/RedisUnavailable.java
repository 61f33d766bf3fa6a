package io.convoke.engine.redis;

import org.jspecify.annotations.Nullable;

/**
 * Redis is out of reach, did not answer within the bound of a command, or refuses to serve: its
 * memory is full, it is a replica, it still loads.
 */
public final class RedisUnavailable extends RuntimeException {
  RedisUnavailable(@Nullable Throwable cause) {
    this("Redis is out of reach", cause);
  }

  RedisUnavailable(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
