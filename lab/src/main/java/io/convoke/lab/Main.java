package io.convoke.lab;

import io.convoke.lab.sim.SimCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The lab's command line. Exit codes: 0 clean, 2 wrong usage, 1 anything else. */
@Command(
    name = "convoke",
    description = "Simulates the world around a Convoke server.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {SimCommand.class})
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }
}
