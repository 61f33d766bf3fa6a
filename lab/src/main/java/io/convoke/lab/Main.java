package io.convoke.lab;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.convoke.lab.chaos.ChaosCommand;
import io.convoke.lab.demo.DemoCommand;
import io.convoke.lab.sim.SimCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The lab's command line. Exit codes: 0 clean, 2 wrong usage, 1 anything else. */
@Command(
    name = "convoke",
    description = "Simulates the world around a Convoke server.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ChaosCommand.class, DemoCommand.class, SimCommand.class})
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    quiet();
    System.exit(new CommandLine(new Main()).execute(args));
  }

  /**
   * Keeps standard output for what commands print: libraries speak up only when something is wrong.
   */
  private static void quiet() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
      logs.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    }
  }
}
