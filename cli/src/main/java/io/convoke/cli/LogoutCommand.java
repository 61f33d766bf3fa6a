package io.convoke.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code convoke logout}: forgets the key here; it stays valid. */
@Command(
    name = "logout",
    description = "Delete the stored address and key. The key stays valid: an admin revokes keys.",
    mixinStandardHelpOptions = true)
final class LogoutCommand implements Callable<Integer> {
  private final Terminal terminal;

  LogoutCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    StoredLogin.delete(StoredLogin.file(terminal.environment()));
    return ExitCodes.DONE;
  }
}
