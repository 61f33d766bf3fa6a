package io.convoke.agent.pod;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A handler that runs a program with {@code sh -c}. The program reads the task as one line of JSON
 * from standard input and has {@code CONVOKE_TASK_ID}, {@code CONVOKE_TASK_ATTEMPT} and {@code
 * CONVOKE_WORKER_ID} in its environment, which otherwise is the pod's without {@code CONVOKE_*}.
 * Exit code 0 means success, 75 (EX_TEMPFAIL) retry, any other failure with the last line of
 * standard error as the reason. A stop request sends SIGTERM, and SIGKILL after a grace.
 */
final class ExecHandler implements TaskHandler {
  private static final int TRY_AGAIN = 75;
  private static final String OURS = "CONVOKE_";

  private final String command;
  private final ProcessGroupReaper processGroupReaper;
  private final Duration grace;
  private final Duration lastGrace;
  private final Map<String, String> environment;

  /**
   * Creates a handler for a command.
   *
   * @param grace between SIGTERM and SIGKILL when a stop was requested
   * @param lastGrace the same when the lease is lost or the pod ends and another pod may start the
   *     task
   */
  ExecHandler(
      String command,
      ProcessGroupReaper processGroupReaper,
      Duration grace,
      Duration lastGrace,
      Map<String, String> environment) {
    this.command = command;
    this.processGroupReaper = processGroupReaper;
    this.grace = grace;
    this.lastGrace = lastGrace;
    this.environment = new HashMap<>(environment);
    this.environment.keySet().removeIf(name -> name.startsWith(OURS));
  }

  @Override
  public AttemptOutcome run(TaskContext task) throws InterruptedException {
    ChildProcess childProcess;
    try {
      long until = BootClock.in(task::beginWithin);
      childProcess =
          ChildProcess.start(command, environment(task), input(task), processGroupReaper, until);
    } catch (IOException e) {
      return new AttemptOutcome.AttemptRetry("the program could not be started: " + e.getMessage());
    }
    try (childProcess) {
      awaitEnd(childProcess, task);
    }
    return childProcess.tooLate()
        ? new AttemptOutcome.AttemptHandedBack(TaskAttempt.NOT_BEGUN)
        : outcome(childProcess.exitCode(), childProcess.lastErrorLine());
  }

  /** The outcome of an exit code. */
  static AttemptOutcome outcome(int code, String lastErrorLine) {
    String reason =
        lastErrorLine.isEmpty() ? "the program ended with exit code " + code : lastErrorLine;
    return switch (code) {
      case 0 -> new AttemptOutcome.AttemptDone();
      case TRY_AGAIN -> new AttemptOutcome.AttemptRetry(reason);
      default -> new AttemptOutcome.AttemptFailed(reason);
    };
  }

  private void awaitEnd(ChildProcess childProcess, TaskContext task) throws InterruptedException {
    CompletableFuture<Void> stop = new CompletableFuture<>();
    task.onStop(() -> stop.complete(null));
    CompletableFuture<Process> ended = childProcess.ended();
    try {
      Object _ = CompletableFuture.anyOf(ended, stop).get();
      if (!ended.isDone()) {
        childProcess.end(grace);
        Process _ = ended.get();
      }
    } catch (InterruptedException e) {
      // Another pod may start this task, or has done so.
      childProcess.end(lastGrace);
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException("waiting for a process cannot fail", e);
    }
  }

  private Map<String, String> environment(TaskContext task) {
    Map<String, String> own = new HashMap<>(environment);
    own.put("CONVOKE_TASK_ID", task.id());
    own.put("CONVOKE_TASK_ATTEMPT", Integer.toString(task.attempt()));
    own.put("CONVOKE_WORKER_ID", Integer.toString(task.workerId()));
    return own;
  }

  private static byte[] input(TaskContext task) {
    return (Json.write(task.json()) + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
