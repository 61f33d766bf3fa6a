package io.convoke.engine.redis;

import org.jspecify.annotations.Nullable;

/** Redis is out of reach or did not answer within the bound of a command. */
public final class RedisUnavailable extends RuntimeException {
  RedisUnavailable(@Nullable Throwable cause) {
    super("Redis is out of reach", cause);
  }
}
