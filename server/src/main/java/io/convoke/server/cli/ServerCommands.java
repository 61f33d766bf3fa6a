package io.convoke.server.cli;

import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.Settings.LogFormat;
import io.convoke.server.http.listener.ListenFailure;
import io.convoke.server.log.Logging;
import io.convoke.server.schemaimport.SchemaNotImportable;
import java.io.PrintWriter;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;

/** The commands of the server and their exit codes: 0 clean, 2 usage or configuration, 1 else. */
@Command(
    name = "convoke",
    subcommands = {
      ServeCommand.class,
      MigrateCommand.class,
      DoctorCommand.class,
      ReplayCommand.class,
      ResealCommand.class,
      PodKeyCommand.class
    })
public final class ServerCommands {
  private static final int USAGE = 2;
  private static final int FAILURE = 1;

  private ServerCommands() {}

  public static int run(String[] args) {
    Logging.start(LogFormat.JSON);
    return new CommandLine(new ServerCommands())
        .setExecutionExceptionHandler(failures())
        .execute(args);
  }

  private static IExecutionExceptionHandler failures() {
    return (failure, command, parsed) -> {
      PrintWriter err = command.getErr();
      return switch (failure) {
        case InvalidConfigException invalid -> {
          invalid.faults().forEach(fault -> err.println("convoke: " + fault));
          yield USAGE;
        }
        case SchemaNotImportable not -> {
          not.faults().forEach(fault -> err.println("convoke: " + fault));
          yield USAGE;
        }
        case UsageException usage -> {
          err.println("convoke: " + usage.getMessage());
          yield USAGE;
        }
        case ListenFailure taken -> {
          err.println("convoke: " + taken.getMessage());
          yield FAILURE;
        }
        case StoreUnavailable away -> {
          Throwable cause = Objects.requireNonNullElse(away.getCause(), away);
          err.println("convoke: " + away.getMessage() + ": " + cause.getMessage());
          err.println("convoke: `convoke doctor` checks address, password and rights");
          yield FAILURE;
        }
        case Exception other -> {
          err.println("convoke: " + other.getMessage());
          other.printStackTrace(err);
          yield FAILURE;
        }
      };
    };
  }
}
