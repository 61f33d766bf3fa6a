package io.convoke.simulator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * Runs a command as the program of this process. Exit codes: 0 clean, 2 wrong usage, 1 anything
 * else.
 */
public final class Program {

  private Program() {}

  /**
   * Runs the command and ends the process. Standard output is kept for what the command prints, so
   * libraries log warnings and errors only.
   */
  public static void run(Object command, String[] args) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
      logs.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    }
    System.exit(new CommandLine(command).execute(args));
  }
}
