package io.convoke.server;

import io.convoke.server.cli.ServerCommands;
import java.util.Locale;

/** The server's entry point. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    // Numbers in addresses, documents and answers have the digits 0 to 9 on every machine.
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    System.exit(ServerCommands.run(args));
  }
}
