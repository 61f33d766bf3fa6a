package io.convoke.engine.durable.provider;

/**
 * How many work items of a key may run at the same time, on all nodes together.
 *
 * @param key names the scarce resource: a customer, a device, an address
 * @param atMost the limit of this item, which waits while so many items of the key have a slot
 */
public record ConcurrencyLimit(String key, int atMost) {
  private static final int KEY_MAX = 500;

  public ConcurrencyLimit {
    if (key.isEmpty() || key.length() > KEY_MAX || key.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "a key has 1 to " + KEY_MAX + " characters, none of them U+0000: " + key);
    }
    if (atMost < 1) {
      throw new IllegalArgumentException("the limit of " + key + " must be at least 1");
    }
  }
}
