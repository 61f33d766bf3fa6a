package io.convoke.bench;

import picocli.CommandLine;

/** The front door of {@code ./convoke bench}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    LogSilencer.libraries();
    System.exit(new CommandLine(new BenchCommand()).execute(args));
  }
}
