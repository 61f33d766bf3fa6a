package io.convoke.cli;

import io.convoke.client.ConvokeException;
import io.convoke.client.ConvokeException.RequestRefused;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code convoke}: the commands of users, and the program that runs them. */
@Command(
    name = "convoke",
    description = "Bots, meetings, events, transcripts, tasks and rooms of a Convoke server.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Exit codes: 0 done, 1 refused by the server or failed, 2 wrong command line,",
      "3 no server, 4 no login, 5 the output or the login cannot be written.",
      "CONVOKE_URL and CONVOKE_API_KEY go before what login stored."
    })
public final class ConvokeCommand implements Runnable {
  /** The name of the program, as it is called on this machine. */
  static final String NAME = System.getProperty("convoke.command", "convoke");

  /** Given by picocli. */
  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  private ConvokeCommand() {}

  /** Runs a command and exits with its code. */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    System.exit(run(Terminal.ofProcess(), arguments));
  }

  /** Runs a command. */
  static int run(Terminal terminal, String... arguments) {
    int exitCode = commandLine(terminal).execute(arguments);
    return terminal.out().checkError() && exitCode == ExitCodes.DONE
        ? said(terminal, "the output cannot be written", ExitCodes.NO_OUTPUT)
        : exitCode;
  }

  private static CommandLine commandLine(Terminal terminal) {
    CommandLine commands = new CommandLine(new ConvokeCommand());
    commands.setCommandName(NAME);
    commands.addSubcommand(new LoginCommand(terminal));
    commands.addSubcommand(new LogoutCommand(terminal));
    commands.addSubcommand(new WhoAmICommand(terminal));
    commands.addSubcommand(new BotCommands(terminal));
    commands.addSubcommand(new MeetingsCommand(terminal));
    commands.addSubcommand(new EventsCommand(terminal));
    commands.addSubcommand(new TranscriptCommand(terminal));
    commands.addSubcommand(new SearchCommand(terminal));
    commands.addSubcommand(new TaskCommands(terminal));
    commands.addSubcommand(new RoomsCommands(terminal));
    commands.addSubcommand(new CompletionCommand(terminal));
    tellVersion(commands);
    // An argument that begins with @ is the user's, not a file of further arguments.
    commands.setExpandAtFiles(false);
    commands.setOut(new PrintWriter(terminal.out(), true, terminal.out().charset()));
    commands.setErr(new PrintWriter(terminal.err(), true, terminal.err().charset()));
    commands.setExecutionExceptionHandler((failure, _, _) -> explained(terminal, failure));
    return commands;
  }

  /** Every command tells the version of the program. */
  private static void tellVersion(CommandLine command) {
    String built = ConvokeCommand.class.getPackage().getImplementationVersion();
    command.getCommandSpec().version(NAME + " " + (built == null ? "of a checkout" : built));
    command.getSubcommands().values().forEach(ConvokeCommand::tellVersion);
  }

  private static int explained(Terminal terminal, Exception failure) throws Exception {
    return switch (failure) {
      case CommandFailure ours ->
          said(terminal, String.valueOf(ours.getMessage()), ours.exitCode());
      case RequestRefused refused ->
          refused.unauthorized()
              ? said(
                  terminal,
                  "the key is not valid (any more): " + NAME + " login URL",
                  ExitCodes.NO_LOGIN)
              : said(terminal, traced(refused, refused.problem()), ExitCodes.REFUSED);
      case ConvokeException.LimitReached limit ->
          said(terminal, traced(limit, limit.problem()), ExitCodes.REFUSED);
      case ConvokeException.ServerFailed failed ->
          said(terminal, traced(failed, failed.problem()), ExitCodes.NO_SERVER);
      case ConvokeException.NoAnswer none ->
          said(terminal, String.valueOf(none.getMessage()), ExitCodes.NO_SERVER);
      case IOException local ->
          said(terminal, String.valueOf(local.getMessage()), ExitCodes.NO_OUTPUT);
      case RuntimeException other -> said(terminal, "failed: " + other, ExitCodes.REFUSED);
      default -> throw failure;
    };
  }

  private static String traced(ConvokeException failure, ConvokeException.ApiProblem problem) {
    return problem.status() >= 500
        ? failure.getMessage() + problem.traceId().map(it -> ", trace " + it).orElse("")
        : String.valueOf(failure.getMessage());
  }

  private static int said(Terminal terminal, String text, int exitCode) {
    terminal.err().println(NAME + ": " + text.replaceAll("\\p{Cc}", "?"));
    return exitCode;
  }

  /** The script that completes commands in bash and zsh. */
  static String completion(Terminal terminal) {
    return AutoComplete.bash(NAME, commandLine(terminal));
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "a command is needed");
  }
}
