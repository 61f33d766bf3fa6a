package io.convoke.server;

import io.convoke.server.cli.Commands;

/** The server's entry point. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(Commands.run(args));
  }
}
