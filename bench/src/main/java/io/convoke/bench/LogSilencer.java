package io.convoke.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits libraries to warnings. For the command, so that its output is the tables; for every
 * reference, so that logging each call to Redis does not slow it down.
 */
public final class LogSilencer {
  private LogSilencer() {}

  public static void libraries() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
      logs.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
      // It warns of every connection that both sides close.
      logs.getLogger("io.lettuce.core.RedisChannelHandler").setLevel(Level.ERROR);
    }
  }
}
