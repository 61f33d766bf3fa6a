package io.convoke.server;

import io.convoke.server.cli.ServerCommands;

/** The server's entry point. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(ServerCommands.run(args));
  }
}
