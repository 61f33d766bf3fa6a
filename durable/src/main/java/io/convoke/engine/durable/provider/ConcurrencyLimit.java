package io.convoke.engine.durable.provider;

/**
 * How many work items of a key may be out at the same time, among all nodes.
 *
 * @param key whatever is scarce: a customer, a device, an address
 * @param atMost as this item sees it; an item waits while so many of its key are out
 */
public record ConcurrencyLimit(String key, int atMost) {
  private static final int KEY_MAX = 500;

  public ConcurrencyLimit {
    if (key.isEmpty() || key.length() > KEY_MAX) {
      throw new IllegalArgumentException("a key has 1 to " + KEY_MAX + " characters: " + key);
    }
    if (atMost < 1) {
      throw new IllegalArgumentException("at least one of " + key + " must be allowed");
    }
  }
}
