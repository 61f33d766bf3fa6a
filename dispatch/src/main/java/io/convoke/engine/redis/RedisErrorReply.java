package io.convoke.engine.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An error that Redis answered, by its code: the first word of the text, such as {@code OOM}.
 *
 * <p>Redis 6.2 wraps the error of a command inside a script into an {@code ERR} of its own; the
 * code is then the one inside. A script is refused as a whole: Redis stops it at its first write or
 * not at all, except for {@code NOPERM}.
 */
record RedisErrorReply(String code, String text, RedisCommandExecutionException cause) {

  /**
   * Redis runs but refuses the command: memory full, disk error, read-only replica, loading, busy
   * script, too few replicas, cluster down, or missing ACL rights. The command itself is correct.
   */
  private static final Set<String> REFUSALS =
      Set.of(
          "OOM",
          "MISCONF",
          "READONLY",
          "NOPERM",
          "NOAUTH",
          "WRONGPASS",
          "DENIED",
          "LOADING",
          "BUSY",
          "MASTERDOWN",
          "NOREPLICAS",
          "CLUSTERDOWN");

  /**
   * What a node says while a slot is between two owners. ASK is among them on purpose: the
   * functions of a place would find half of it at either end of a move.
   */
  private static final Set<String> IN_BETWEEN = Set.of("ASK", "TRYAGAIN", "UNBLOCKED");

  private static final Pattern IN_SCRIPT =
      Pattern.compile("^ERR Error running script .*?: -?([A-Z]{3,}) ", Pattern.DOTALL);

  private static final Pattern NO_RIGHT_IN_SCRIPT =
      Pattern.compile("^ERR .*(ACL failure in script|The user executing the script can't)");

  static RedisErrorReply of(RedisCommandExecutionException cause) {
    String text = String.valueOf(cause.getMessage());
    String first = text.split(" ", 2)[0];
    if (!first.equals("ERR")) {
      return new RedisErrorReply(first, text, cause);
    }
    if (NO_RIGHT_IN_SCRIPT.matcher(text).find()) {
      return new RedisErrorReply("NOPERM", text, cause);
    }
    Matcher inside = IN_SCRIPT.matcher(text);
    return new RedisErrorReply(inside.find() ? inside.group(1) : first, text, cause);
  }

  /** Whether the refusal lasts until an operator changes Redis, whatever the caller sends. */
  boolean isRefusal() {
    return REFUSALS.contains(code);
  }

  /**
   * Whether it holds for other writes too, as far as can be known: a right may be for one alone.
   */
  boolean isForAllWrites() {
    return isRefusal() && !code.equals("NOPERM");
  }

  /** Where else to ask, that Redis is as good as away, or a fault of the call. */
  RuntimeException exception() {
    String[] words = text.split(" ", 4);
    if (code.equals("MOVED") && words.length > 2) {
      return new MovedException(words[2], cause);
    }
    if (isRefusal()) {
      return new RedisUnavailable("Redis refuses: " + text, cause);
    }
    return IN_BETWEEN.contains(code) ? new RedisUnavailable(cause) : cause;
  }
}
