package io.convoke.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** The front door of {@code ./convoke bench}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    quiet();
    System.exit(new CommandLine(new BenchCommand()).execute(args));
  }

  /** Keeps standard output for the tables: libraries speak up only when something is wrong. */
  private static void quiet() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
      logs.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    }
  }
}
