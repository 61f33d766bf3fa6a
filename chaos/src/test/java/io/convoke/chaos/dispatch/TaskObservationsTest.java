package io.convoke.chaos.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.TemporalUnitWithinOffset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program follows its fault plan, and its log is parsed. */
final class TaskObservationsTest {
  @TempDir private Path folder = Path.of("");
  private TaskObservations taskObservations;

  @BeforeEach
  void open() throws IOException {
    taskObservations = new TaskObservations(folder);
  }

  @Test
  void aProgramLogsItsStartAndEnd() throws Exception {
    assertThat(
            run(
                "task-1",
                1,
                new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, Duration.ofMillis(50), 0)))
        .isZero();
    assertThat(
            run(
                "task-2",
                1,
                new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.FAILS, Duration.ofMillis(10), 0)))
        .isEqualTo(1);
    assertThat(
            run(
                "task-3",
                1,
                new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, Duration.ofMillis(10), 1)))
        .isEqualTo(75);
    assertThat(
            run(
                "task-3",
                2,
                new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, Duration.ofMillis(10), 1)))
        .isZero();

    List<ObservedAttempt> attempts = taskObservations.attempts();

    assertThat(attempts)
        .extracting(
            ObservedAttempt::id,
            ObservedAttempt::number,
            ObservedAttempt::life,
            ObservedAttempt::pod,
            ObservedAttempt::code)
        .containsExactly(
            tuple("task-1", 1, "pod-0.1", "here-7", "0"),
            tuple("task-2", 1, "pod-0.1", "here-7", "1"),
            tuple("task-3", 1, "pod-0.1", "here-7", "75"),
            tuple("task-3", 2, "pod-0.1", "here-7", "0"));
    assertThat(attempts.getFirst().startedAt())
        .isCloseTo(Instant.now(), new TemporalUnitWithinOffset(60, ChronoUnit.SECONDS))
        .isBefore(attempts.getFirst().ended().orElseThrow());
  }

  @Test
  void aKilledProgramLeavesAnAttemptWithoutAnEndAndATruncatedLineIsIgnored() throws Exception {
    Path _ =
        Files.writeString(
            taskObservations.notes(),
            """
            begin 10.00 a 1 pod-0.1 here-1 -
            begin 11.00 b 1 pod-0.1 here-1 -
            end 12.50 a 1 pod-0.1 here-1 stopped
            end 13.00 b 1\
            """);

    assertThat(taskObservations.attempts())
        .extracting(
            ObservedAttempt::id,
            ObservedAttempt::code,
            observedAttempt -> observedAttempt.ended().isPresent())
        .containsExactly(tuple("a", "stopped", true), tuple("b", "", false));
  }

  @Test
  void anAttemptWithTwoHoldersIsReadTwice() throws Exception {
    Path _ =
        Files.writeString(
            taskObservations.notes(),
            """
            begin 10.00 a 1 pod-0.1 here-1 -
            begin 10.50 a 1 pod-1.1 here-2 -
            end 11.00 a 1 pod-0.1 here-1 0
            """);

    assertThat(taskObservations.attempts())
        .extracting(ObservedAttempt::pod, ObservedAttempt::ended)
        .satisfiesExactly(
            one -> assertThat(one.toList().getFirst()).isEqualTo("here-1"),
            two -> assertThat(two.toList()).containsExactly("here-2", Optional.empty()));
  }

  private int run(String id, int attempt, TaskFaultPlan taskFaultPlan)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", taskObservations.command());
    Map<String, String> environment = builder.environment();
    environment.put("LAB_NOTES", taskObservations.notes().toString());
    environment.put("LAB_LIFE", "pod-0.1");
    environment.put("CONVOKE_TASK_ID", id);
    environment.put("CONVOKE_WORKER_ID", "3");
    environment.put("CONVOKE_TASK_ATTEMPT", Integer.toString(attempt));
    Process process = builder.start();
    try (OutputStream input = process.getOutputStream()) {
      input.write(
          """
          {"id":"%s","payload":{"fate":"%s","access_token":"chaos-token",\
          "outputs":[{"access_token":"chaos-token"}]},"pod_id":"here-7",\
          "worker_id":3,"attempt":%d}
          """
              .formatted(id, taskFaultPlan.description(), attempt)
              .getBytes(StandardCharsets.UTF_8));
    }
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }
}
