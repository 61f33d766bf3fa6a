package io.convoke.server.presence;

/**
 * The calls that all nodes together may make to one account of a platform.
 *
 * @param account the name of the token bucket in Redis
 * @param rate calls a second
 * @param burst calls at once
 */
public record ApiBudget(String account, int rate, int burst) {

  /**
   * Daily's account: below its 20 a second and its 100 in five seconds, which other programs of the
   * account share.
   */
  public static final ApiBudget DAILY = new ApiBudget("daily", 15, 60);

  /**
   * A Janus of our own, which has no limit: enough for a tick over some hundred rooms in use, and a
   * bound for a loop gone wrong.
   */
  public static final ApiBudget JANUS = new ApiBudget("janus", 200, 1000);

  String key() {
    return RedisRateLimiter.key(account);
  }
}
