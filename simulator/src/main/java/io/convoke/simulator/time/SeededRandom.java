package io.convoke.simulator.time;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Random numbers as a pure function of a seed and a name.
 *
 * <p>There is no stream to advance, so one concern's draws do not depend on another's, nor on how
 * threads interleave: the same seed and the same name give the same number.
 *
 * @param seed the simulation's seed
 * @param salt the part that differs between two runs with one seed; used for ids, never for
 *     decisions
 */
public record SeededRandom(long seed, long salt) {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /** A number in [0, 1) for this name. */
  public double uniform(String concern, String name) {
    return (mix(mix(seed ^ hash(concern)) ^ hash(name)) >>> 11) * 0x1.0p-53;
  }

  /** An integer in [low, high], both included. */
  public int between(int low, int high, String concern, String name) {
    return low + (int) Math.floor(uniform(concern, name) * (high - low + 1));
  }

  /** One of these. */
  public <T> T pick(List<T> choices, String concern, String name) {
    return choices.get(between(0, choices.size() - 1, concern, name));
  }

  /** A random-looking UUID for this name, other in another run. */
  public UUID id(String concern, String name) {
    long high = mix(mix(seed ^ mix(salt) ^ hash(concern)) ^ hash(name));
    long low = mix((high + GOLDEN) ^ hash(name));
    return new UUID(
        (high & 0xFFFFFFFFFFFF0FFFL) | 0x4000L, (low & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L);
  }

  private static long hash(String text) {
    long hash = 0xCBF29CE484222325L;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001B3L;
    }
    return mix(hash);
  }

  private static long mix(long value) {
    long z = value + GOLDEN;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
