package io.convoke.agent.pod;

import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;

/**
 * A pod as a process: {@code --region R --slots N} and what {@code --help} tells. SIGTERM lets
 * running tasks end, for a bounded time, and gives back the rest.
 */
public final class PodProcess {
  private static final int USAGE = 2;
  private static final int FAILURE = 1;

  private PodProcess() {}

  /**
   * Runs a pod with handlers by type of task, and ends the process: 0 after an orderly end, 2 for
   * wrong arguments or settings, 1 for anything else. Tasks of other types are left to other pods.
   */
  public static void run(String[] args, Map<String, TaskHandler> handlers) {
    run(args, _ -> handlers);
  }

  /**
   * The same with handlers that are made from the environment, when they are needed; they throw
   * {@link UsageException} if it lacks something.
   */
  public static void run(
      String[] args, Function<Map<String, String>, Map<String, TaskHandler>> handlers) {
    log(System.getenv().getOrDefault("CONVOKE_LOG_FORMAT", "json"));
    CommandLine command = new CommandLine(new PodCommand(handlers));
    System.exit(command.setExecutionExceptionHandler(failures()).execute(args));
  }

  /** Chooses how to log before anything does; a choice of the operator's own stays. */
  private static void log(String format) {
    if (System.getProperty("logback.configurationFile") == null) {
      String _ =
          System.setProperty(
              "logback.configurationFile",
              format.equals("text") ? "convoke-pod-text.xml" : "convoke-pod-json.xml");
    }
  }

  private static IExecutionExceptionHandler failures() {
    return (failure, command, parsed) -> {
      PrintWriter err = command.getErr();
      String.valueOf(failure.getMessage()).lines().forEach(line -> err.println("convoke: " + line));
      if (failure instanceof UsageException) {
        return USAGE;
      }
      failure.printStackTrace(err);
      return FAILURE;
    };
  }
}
