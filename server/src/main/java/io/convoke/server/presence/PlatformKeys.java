package io.convoke.server.presence;

/**
 * The names of a platform's own keys in Redis, so that platforms share no queue. Daily's are those
 * of {@link PresenceKeys}; another platform's have its name behind {@code convoke:}. Keys of one
 * meeting are the same on every platform.
 */
record PlatformKeys(String platform) {
  private static final String PREFIX = "convoke:";

  /** The platform whose keys have no name in them. */
  static final PlatformKeys DAILY = new PlatformKeys("daily");

  /** The platform's key for one of {@link PresenceKeys}. */
  String of(String key) {
    return equals(DAILY) ? key : PREFIX + platform + ":" + key.substring(PREFIX.length());
  }
}
