package io.convoke.agent.pod.example;

import io.convoke.agent.pod.PodProcess;
import io.convoke.agent.pod.TaskContext;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.time.Duration;
import java.util.Map;

/** A pod of one's own: it greets a channel, and greets again each minute until it is stopped. */
public final class Greeter {
  private Greeter() {}

  public static void main(String[] args) {
    PodProcess.run(args, Map.of("greet", Greeter::greet));
  }

  private static AttemptOutcome greet(TaskContext task) throws InterruptedException {
    String name = task.payload().path("name").asString("");
    if (name.isEmpty()) {
      return new AttemptOutcome.AttemptFailed("name is missing");
    }
    do {
      System.out.println("Hello " + name + " in " + task.channel() + ", attempt " + task.attempt());
    } while (!task.awaitStop(Duration.ofMinutes(1)));
    return new AttemptOutcome.AttemptDone();
  }
}
