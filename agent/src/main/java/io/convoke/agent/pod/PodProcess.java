package io.convoke.agent.pod;

import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;

/**
 * The process of a pod; see {@code --help} for its options. On SIGTERM it lets running tasks end
 * within a bounded time and returns the rest.
 */
public final class PodProcess {
  private static final int USAGE = 2;
  private static final int FAILURE = 1;

  private PodProcess() {}

  /**
   * Runs a pod with handlers by task type, and exits the process: 0 after an orderly shutdown, 2
   * for wrong arguments or settings, 1 for any other error. Tasks of other types are left to other
   * pods.
   */
  public static void run(String[] args, Map<String, TaskHandler> handlers) {
    run(args, _ -> handlers);
  }

  /**
   * The same with handlers created from the environment when needed; the function throws {@link
   * UsageException} if a setting is missing.
   */
  public static void run(
      String[] args, Function<Map<String, String>, Map<String, TaskHandler>> handlers) {
    log(System.getenv().getOrDefault("CONVOKE_LOG_FORMAT", "json"));
    CommandLine command = new CommandLine(new PodCommand(handlers));
    System.exit(command.setExecutionExceptionHandler(failures()).execute(args));
  }

  /** Configures logging first; an operator's own configuration takes precedence. */
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
