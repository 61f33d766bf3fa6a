package io.convoke.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code convoke completion}. */
@Command(
    name = "completion",
    description =
        "Print the script that completes commands in bash and zsh: source <(PROGRAM completion)",
    mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
  private final Terminal terminal;

  CompletionCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    terminal.out().println(ConvokeCommand.completion(terminal));
    return ExitCodes.DONE;
  }
}
