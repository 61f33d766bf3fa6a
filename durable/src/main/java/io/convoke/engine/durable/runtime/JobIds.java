package io.convoke.engine.durable.runtime;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ids of jobs: UUIDs of version 7, which begin with the time, so that new ones lie together in an
 * index.
 */
final class JobIds {
  private static final long VERSION = 0x7000L;
  private static final long VARIANT = 1L << 63;

  private JobIds() {}

  static String next() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long high = System.currentTimeMillis() << 16 | VERSION | (random.nextLong() & 0xFFFL);
    long low = VARIANT | (random.nextLong() >>> 2);
    return new UUID(high, low).toString();
  }
}
