package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Programs as handlers: their input, their exit, and that no process remains. */
@Timeout(60)
class ExecHandlerTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private final ProcessGroupReaper processGroupReaper;

  @TempDir private Path folder = Path.of("");

  ExecHandlerTest() throws IOException {
    this.processGroupReaper = new ProcessGroupReaper();
  }

  @AfterEach
  void close() {
    processGroupReaper.close();
  }

  @Test
  void exitCodesAreOutcomes() throws Exception {
    assertThat(run("exit 0")).isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(run("echo not yet >&2; exit 75"))
        .isEqualTo(new AttemptOutcome.AttemptRetry("not yet"));
    assertThat(run("echo one >&2; echo 'disk full' >&2; echo >&2; exit 3"))
        .isEqualTo(new AttemptOutcome.AttemptFailed("disk full"));
    assertThat(run("exit 4"))
        .isEqualTo(new AttemptOutcome.AttemptFailed("the program ended with exit code 4"));
    assertThat(run("kill -9 $$"))
        .isEqualTo(new AttemptOutcome.AttemptFailed("the program ended with exit code 137"));
    assertThat(run("no-such-program-here 2>/dev/null"))
        .isEqualTo(new AttemptOutcome.AttemptFailed("the program ended with exit code 127"));
  }

  @Test
  void itReadsTheTaskAndFindsItsNumbersInItsEnvironment() throws Exception {
    Path read = folder.resolve("read");
    Path seen = folder.resolve("seen");
    assertThat(run("cat > " + read + "; env > " + seen))
        .isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(Files.readAllLines(read)).hasSize(1);
    assertThat(Json.read(Files.readString(read))).isEqualTo(task());
    assertThat(Files.readAllLines(seen))
        .contains(
            "CONVOKE_TASK_ID=t-1", "CONVOKE_TASK_ATTEMPT=3", "CONVOKE_WORKER_ID=1", "MINE=kept")
        .noneMatch(line -> line.startsWith("CONVOKE_SECRET_KEY"))
        .noneMatch(line -> line.startsWith("CONVOKE_REDIS_URL"));
  }

  @Tag("nightly")
  @Test
  void oneThatNeverReadsItsInputDoesNotHang() throws Exception {
    ObjectNode large = task();
    large.putObject("payload").put("words", "x".repeat(1 << 20));
    assertThat(handler("exit 0").run(new FakeTaskRun(large).context()))
        .isEqualTo(new AttemptOutcome.AttemptDone());
    Path count = folder.resolve("count");
    assertThat(
            handler("read -r begin; printf %s \"$begin\" | wc -c > " + count)
                .run(new FakeTaskRun(large).context()))
        .isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(Integer.parseInt(Files.readString(count).strip())).isGreaterThan(1 << 20);
  }

  @Test
  void tenMegabytesOfOutputAreNoBurden() throws Exception {
    String flood = "head -c 10000000 /dev/zero | tr '\\0' 'x'";
    assertThat(run(flood + "; " + flood + " >&2; printf '\\nthe end\\n' >&2; exit 5"))
        .isEqualTo(new AttemptOutcome.AttemptFailed("the end"));
    assertThat(run(flood + " >&2; exit 5"))
        .isInstanceOfSatisfying(
            AttemptOutcome.AttemptFailed.class,
            attemptFailed -> assertThat(attemptFailed.reason()).hasSize(1000));
  }

  /** Starting a program takes a while, in which a pod may hang and lose the task. */
  @Test
  void aProgramThatComesTooLateDoesNotBegin() throws Exception {
    Path begun = folder.resolve("begun");
    FakeTaskRun late = new FakeTaskRun(task(), Duration.ofMillis(-20));
    assertThat(handler("touch " + begun).run(late.context()))
        .isEqualTo(new AttemptOutcome.AttemptHandedBack(TaskAttempt.NOT_BEGUN));
    assertThat(begun).doesNotExist();
  }

  /** Its retry is a failed try like any other's. */
  @Test
  void aProgramCannotSayThatItDidNotBegin() throws Exception {
    assertThat(run("echo '" + TaskAttempt.NOT_BEGUN + "' >&2; exit 75"))
        .isEqualTo(new AttemptOutcome.AttemptRetry(TaskAttempt.NOT_BEGUN));
  }

  @Test
  void aStopSendsSigtermAndWaitsForTheExit() throws Exception {
    try (Fifo said = new Fifo(folder.resolve("said"))) {
      FakeTaskRun task = new FakeTaskRun(task());
      CompletableFuture<AttemptOutcome> outcome =
          start(
              "trap 'echo stopped > " + said + "; exit 0' TERM; echo up > " + said + hang(), task);
      String _ = said.await("up", SOON);
      task.stop();
      String _ = said.await("stopped", SOON);
      assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
    }
  }

  @Tag("nightly")
  @Test
  void whoDoesNotListenIsKilledAfterTheGraceWithAllItStarted() throws Exception {
    try (Fifo said = new Fifo(folder.resolve("said"))) {
      FakeTaskRun task = new FakeTaskRun(task());
      String deaf = "sh -c 'trap \"\" TERM; echo child $$ > " + said + "; exec sleep 300'";
      CompletableFuture<AttemptOutcome> outcome =
          start("trap '' TERM; " + deaf + " & echo up > " + said + "; wait; wait", task);
      ProcessHandle child = process(said.await("child", SOON));
      task.stop();
      assertThat(outcome.get(20, TimeUnit.SECONDS))
          .isEqualTo(new AttemptOutcome.AttemptFailed("the program ended with exit code 137"));
      assertEnds(child);
    }
  }

  @Test
  void whatItLeavesRunningEndsWithIt() throws Exception {
    try (Fifo said = new Fifo(folder.resolve("said"))) {
      CompletableFuture<AttemptOutcome> outcome =
          start(
              "mkfifo GATE; sh -c 'echo child $$ > SAID; echo go > GATE; exec sleep 300' & read -r go < GATE"
                  .replace("GATE", folder.resolve("gate").toString())
                  .replace("SAID", said.toString()),
              new FakeTaskRun(task()));
      ProcessHandle child = process(said.await("child", SOON));
      assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new AttemptOutcome.AttemptDone());
      assertEnds(child);
    }
  }

  @Test
  void aLostLeaseEndsItAndNothingIsAnswered() throws Exception {
    try (Fifo said = new Fifo(folder.resolve("said"))) {
      CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();
      Thread runner =
          interruptible(handler("trap '' TERM; echo up $$ > " + said + hang()), outcome);
      ProcessHandle program = process(said.await("up", SOON));
      runner.interrupt();
      assertThatThrownBy(() -> outcome.get(20, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(InterruptedException.class);
      assertEnds(program);
    }
  }

  @Test
  void alsoALostLeaseLeavesAMomentToEndWell() throws Exception {
    try (Fifo said = new Fifo(folder.resolve("said"))) {
      CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();
      String saves =
          "trap 'echo asked > SAID; sleep 0.2; echo saved > SAID; exit 0' TERM; echo up > SAID";
      Thread runner =
          interruptible(handler(saves.replace("SAID", said.toString()) + hang(), SOON), outcome);
      String _ = said.await("up", SOON);
      runner.interrupt();
      assertThat(said.await("", SOON)).isEqualTo("asked");
      assertThat(said.await("", SOON)).as("asked once").isEqualTo("saved");
      assertThatThrownBy(() -> outcome.get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(InterruptedException.class);
    }
  }

  /** The death of the pod, simulated by the end of the reaper's pipe. */
  @Tag("nightly")
  @Test
  void programsEndWithTheirWarden() throws Exception {
    try (Fifo said = new Fifo(folder.resolve("said"))) {
      CompletableFuture<AttemptOutcome> outcome =
          start("echo up $$ > " + said + hang(), new FakeTaskRun(task()));
      ProcessHandle program = process(said.await("up", SOON));
      processGroupReaper.close();
      assertEnds(program);
      assertThat(outcome.get(20, TimeUnit.SECONDS))
          .isInstanceOf(AttemptOutcome.AttemptFailed.class);
    }
  }

  private AttemptOutcome run(String command) throws InterruptedException {
    return handler(command).run(new FakeTaskRun(task()).context());
  }

  private CompletableFuture<AttemptOutcome> start(String command, FakeTaskRun task) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return handler(command).run(task.context());
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        Thread::startVirtualThread);
  }

  private static Thread interruptible(
      ExecHandler handler, CompletableFuture<AttemptOutcome> outcome) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                outcome.complete(handler.run(new FakeTaskRun(task()).context()));
              } catch (InterruptedException e) {
                outcome.completeExceptionally(e);
              }
            });
  }

  private ExecHandler handler(String command) {
    return handler(command, Duration.ofMillis(200));
  }

  private ExecHandler handler(String command, Duration lastGrace) {
    return new ExecHandler(
        command,
        processGroupReaper,
        Duration.ofMillis(500),
        lastGrace,
        Map.of(
            "PATH",
            System.getenv("PATH"),
            "MINE",
            "kept",
            "CONVOKE_SECRET_KEY",
            "ours",
            "CONVOKE_REDIS_URL",
            "ours"));
  }

  private static String hang() {
    return "; sleep 300 & wait $!; wait $!";
  }

  private static ObjectNode task() {
    return (ObjectNode)
        Json.read(
            """
            {"id": "t-1", "type": "job", "attempt": 3, "worker_id": 1, "channel": "room",
             "payload": {"access_token": "opened", "odd": [[], {"é": "\\u0000"}, 1e300]}}
            """);
  }

  private static ProcessHandle process(String line) {
    return ProcessHandle.of(Long.parseLong(line.substring(line.indexOf(' ') + 1))).orElseThrow();
  }

  private static void assertEnds(ProcessHandle process) throws Exception {
    ProcessHandle _ = process.onExit().get(20, TimeUnit.SECONDS);
  }
}
