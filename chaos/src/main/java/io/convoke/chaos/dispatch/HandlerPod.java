package io.convoke.chaos.dispatch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.convoke.agent.pod.PodProcess;
import io.convoke.agent.pod.TaskContext;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * A pod that runs tasks of one type in its own process, as a program that uses the library does,
 * and others by {@code --exec}. Its handler behaves as {@code work.sh} and writes the same notes,
 * with one difference: asked to end, it ends at once and reports that it is done.
 */
public final class HandlerPod {
  /** The type of the tasks that its handler runs. */
  static final String TYPE = "caption";

  private static final String TOKEN = "chaos-token";

  private final String notes;
  private final String life;

  private HandlerPod(String notes, String life) {
    this.notes = notes;
    this.life = life;
  }

  private AttemptOutcome run(TaskContext task) throws IOException {
    if (!task.payload().path("access_token").asString("").equals(TOKEN)) {
      return new AttemptOutcome.AttemptFailed(task.id() + " has another token");
    }
    String[] plan = task.payload().path("fate").asString("").split(" ", -1);
    boolean fails = plan[0].equals("fails");
    note("begin", task, Integer.toString(task.workerId()));
    if (ends(task, Duration.ofMillis(Math.round(Double.parseDouble(plan[1]) * 1000)))) {
      note("end", task, "stopped");
      return fails
          ? new AttemptOutcome.AttemptFailed("it was stopped")
          : new AttemptOutcome.AttemptDone();
    }
    if (task.attempt() <= Integer.parseInt(plan[2])) {
      note("end", task, "75");
      return new AttemptOutcome.AttemptRetry("not now");
    }
    if (fails) {
      note("end", task, "1");
      return new AttemptOutcome.AttemptFailed("it cannot be done with " + TOKEN);
    }
    note("end", task, "0");
    return new AttemptOutcome.AttemptDone();
  }

  /** Whether the task is to end before it has worked for so long. */
  private static boolean ends(TaskContext task, Duration work) {
    try {
      return task.awaitStop(work);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /**
   * Appends a line in one write, so that the lines of several programs do not mix. By streams,
   * which the interrupt of a task that is taken back does not close, as it does a channel.
   */
  private void note(String point, TaskContext task, String code) throws IOException {
    String uptime;
    try (FileInputStream in = new FileInputStream("/proc/uptime")) {
      uptime = new String(in.readAllBytes(), US_ASCII).split(" ", -1)[0];
    }
    String pod = task.json().path("pod_id").asString("");
    String line =
        String.join(
            " ", point, uptime, task.id(), Integer.toString(task.attempt()), life, pod, code);
    try (FileOutputStream out = new FileOutputStream(notes, true)) {
      out.write((line + "\n").getBytes(US_ASCII));
    }
  }

  /** The main class of the pod's process. */
  public static void main(String[] args) {
    Map<String, String> environment = System.getenv();
    HandlerPod pod =
        new HandlerPod(
            environment.getOrDefault("LAB_NOTES", ""), environment.getOrDefault("LAB_LIFE", ""));
    PodProcess.run(args, Map.of(TYPE, pod::run));
  }
}
