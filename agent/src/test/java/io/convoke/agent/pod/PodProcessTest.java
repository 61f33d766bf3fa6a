package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.simulator.process.JavaProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real pods with real programs, killed, hung, stopped and drained. */
@Tag("split")
@Timeout(180)
class PodProcessTest {
  private static final Duration LONG = PodTestKit.LONG;

  /** Prints its id and runs until SIGTERM, which it prints too. */
  private static final String STAYS =
      """
      trap 'echo "stopped $CONVOKE_TASK_ATTEMPT" > SAID; exit 0' TERM
      echo "up $CONVOKE_TASK_ID $CONVOKE_TASK_ATTEMPT $CONVOKE_WORKER_ID $$" > SAID
      sleep 300 & wait $!
      """;

  @TempDir private Path folder = Path.of("");
  private Fifo said;
  private PodTestKit kit;

  @BeforeEach
  void open() throws Exception {
    said = new Fifo(folder.resolve("said"));
    kit = new PodTestKit(folder, "io.convoke.agent.ReferencePod");
  }

  @AfterEach
  void close() throws IOException {
    kit.close();
    said.close();
  }

  /** Two slots: one task each (dispatch-8). */
  @Test
  @Tag("nightly")
  void twoSlotsRunTwoTasksAndAStopEndsThem() {
    JavaProcess pod = kit.pod("--slots", "2", "--exec", program(STAYS));
    kit.submit("a");
    kit.submit("b");
    List<String> slots = new ArrayList<>();
    slots.add(word(said.await("up", LONG), 3));
    slots.add(word(said.await("up", LONG), 3));
    assertThat(slots).containsExactlyInAnyOrder("0", "1");
    assertThat(List.of(kit.find("a").workerId(), kit.find("b").workerId()))
        .containsExactlyInAnyOrder(Optional.of(0), Optional.of(1));
    kit.stop("a");
    String _ = said.await("stopped", LONG);
    assertThat(kit.await("a", TaskState.SUCCESS).error()).isEmpty();
    kit.stop("b");
    TaskTransition _ = kit.await("b", TaskState.SUCCESS);
    assertThat(pod.stop()).isZero();
  }

  @Tag("nightly")
  @Test
  void exitCodesAreTheEndsOfTasksAndNoTokenIsLogged() throws IOException {
    JavaProcess _ =
        kit.pod(
            "--slots",
            "4",
            "--exec",
            program(
                """
                case "$CONVOKE_TASK_ID" in
                  good) exit 0 ;;
                  later) echo not now >&2; exit 75 ;;
                  bad) echo first >&2; echo disk full >&2; exit 3 ;;
                  loud) head -c 10000000 /dev/zero | tr '\\0' x | tee /dev/stderr; echo >&2; echo end >&2; exit 4 ;;
                  telltale) cat >&2; exit 5 ;;
                esac
                """));
    String token = "007eJxSULJSqLNSUCjPyM9VsLJ";
    for (String id : new String[] {"good", "later", "bad", "loud", "telltale"}) {
      kit.submit(id, "job", "room", "{\"access_token\": \"" + token + "\"}");
    }
    assertThat(kit.await("good", TaskState.SUCCESS).attempt()).isEqualTo(1);
    assertThat(kit.await("bad", TaskState.FAILED).error()).isEqualTo("disk full");
    assertThat(kit.await("loud", TaskState.FAILED).error()).isEqualTo("end");
    TaskTransition later = kit.await("later", TaskState.FAILED);
    assertThat(later.attempt()).isEqualTo(3);
    assertThat(later.error()).contains("not now");
    assertThat(kit.await("telltale", TaskState.FAILED).error())
        .contains("***")
        .doesNotContain(token);
    assertThat(kit.logs()).contains("telltale").doesNotContain(token);
  }

  @Tag("nightly")
  @Test
  void payloadsOfAnyFormReachTheProgram() throws IOException {
    Path read = folder.resolve("read");
    JavaProcess _ = kit.pod("--slots", "1", "--exec", "cat > " + read);
    kit.submit(
        "odd", "x-9_Z", "a.b:c-d_e", "{\"\": [[], {\"\\u0001\": \"\\ud83d\\ude00\"}, -0.0, null]}");
    TaskTransition _ = kit.await("odd", TaskState.SUCCESS);
    assertThat(Files.readString(read)).contains("[[],{\"\\u0001\":\"\ud83d\ude00\"},-0.0,null]");
    kit.submit("large", "job", "room", "{\"words\": \"" + "w".repeat(65_000) + "\"}");
    TaskTransition _ = kit.await("large", TaskState.SUCCESS);
    assertThat(Files.size(read)).isGreaterThan(65_000);
  }

  /** Its lease of 45 s goes on. */
  @Tag("nightly")
  @Test
  void aPodThatIsSilentForSixSecondsKeepsItsTask() throws Exception {
    reopen(DispatchConfig.seed());
    JavaProcess first = kit.pod("--slots", "1", "--exec", program(STAYS));
    kit.submit("a");
    ProcessHandle program = process(said.await("up a 1", LONG));
    JavaProcess second = kit.pod("--slots", "1", "--exec", program(STAYS));
    first.pause(true);
    kit.watch(Duration.ofSeconds(6));
    first.pause(false);
    kit.watch(Duration.ofSeconds(3));
    assertThat(program.isAlive()).isTrue();
    assertThat(kit.find("a").state()).isEqualTo(TaskState.PROCESSING);
    assertThat(kit.find("a").attempt()).isEqualTo(1);
    kit.stop("a");
    assertThat(said.await("stopped", LONG)).isEqualTo("stopped 1");
    assertThat(kit.await("a", TaskState.SUCCESS).attempt()).isEqualTo(1);
    assertThat(second.stop()).isZero();
  }

  /** The program continues, and its pod ends it when it learns of the lost lease. */
  @Tag("nightly")
  @Test
  void aPodThatIsSilentForLongerThanTheSettingSaysLosesItsTask() throws Exception {
    reopen(DispatchConfig.seed().deadAfter(Optional.of(Duration.ofSeconds(6))));
    JavaProcess first = kit.pod("--slots", "1", "--exec", program(STAYS));
    kit.submit("a");
    ProcessHandle program = process(said.await("up a 1", LONG));
    JavaProcess _ = kit.pod("--slots", "1", "--exec", program(STAYS));
    Instant silent = Instant.now();
    first.pause(true);
    String _ = said.await("up a 2", LONG);
    assertThat(Duration.between(silent, Instant.now())).isLessThan(Duration.ofSeconds(15));
    assertThat(program.isAlive()).isTrue();
    first.pause(false);
    ProcessHandle _ = program.onExit().get(10, TimeUnit.SECONDS);
    assertThat(kit.find("a").attempt()).isEqualTo(2);
  }

  @Test
  @Tag("nightly")
  void aProgramRunsOnWhileRedisForgetsEverything() throws Exception {
    reopen(DispatchConfig.seed());
    JavaProcess _ = kit.pod("--slots", "1", "--exec", program(STAYS));
    kit.submit("a");
    ProcessHandle program = process(said.await("up a 1", LONG));
    JavaProcess _ = kit.pod("--slots", "1", "--exec", program(STAYS));
    TaskTransition _ = kit.await("a", TaskState.PROCESSING, 1);
    kit.flush();
    kit.watch(Duration.ofSeconds(4));
    assertThat(program.isAlive()).isTrue();
    assertThat(kit.find("a").state()).isEqualTo(TaskState.PROCESSING);
    assertThat(kit.find("a").attempt()).isEqualTo(1);
    kit.stop("a");
    assertThat(said.await("stopped", LONG)).isEqualTo("stopped 1");
    assertThat(kit.await("a", TaskState.SUCCESS).attempt()).isEqualTo(1);
  }

  @Tag("nightly")
  @Test
  void afterAKillAnotherPodHasTheTaskAndTheProgramIsGone() throws Exception {
    reopen(PodTestKit.TERMS.deadAfter(Optional.of(Duration.ofSeconds(3))));
    JavaProcess first = kit.pod("--slots", "1", "--exec", program(STAYS));
    kit.submit("a");
    ProcessHandle orphan = process(said.await("up a 1", LONG));
    JavaProcess second = kit.pod("--slots", "1", "--exec", program(STAYS));
    Instant killed = Instant.now();
    first.kill();
    TaskTransition again = kit.await("a", TaskState.PROCESSING, 2);
    // Sooner than its lease: by the silence of its pod.
    assertThat(Duration.between(killed, again.at())).isLessThan(PodTestKit.TERMS.lease());
    ProcessHandle _ = orphan.onExit().get(20, TimeUnit.SECONDS);
    String _ = said.await("up a 2", LONG);
    kit.stop("a");
    TaskTransition _ = kit.await("a", TaskState.SUCCESS);
    assertThat(kit.find("a").retryCount()).isEqualTo(1);
    assertThat(second.stop()).isZero();
  }

  @Tag("nightly")
  @Test
  void aHungPodLosesTheTaskAndStopsItsProgramWhenItWakes() throws Exception {
    JavaProcess first = kit.pod("--slots", "1", "--exec", program(STAYS));
    kit.submit("a");
    ProcessHandle program = process(said.await("up a 1", LONG));
    JavaProcess _ = kit.pod("--slots", "1", "--exec", program(STAYS));
    first.pause(true);
    String _ = said.await("up a 2", LONG);
    kit.outliveALease();
    assertThat(program.isAlive()).isTrue();
    first.pause(false);
    ProcessHandle _ = program.onExit().get(20, TimeUnit.SECONDS);
    Task task = kit.find("a");
    assertThat(task.state()).isEqualTo(TaskState.PROCESSING);
    assertThat(task.attempt()).isEqualTo(2);
    kit.stop("a");
    String _ = said.await("stopped 2", LONG);
    TaskTransition _ = kit.await("a", TaskState.SUCCESS);
  }

  /** Its program failed while the pod hung: the late report is refused. */
  @Tag("nightly")
  @Test
  void whatAHungPodHasToSayIsRefused() throws Exception {
    JavaProcess first =
        kit.pod(
            "--slots",
            "1",
            "--exec",
            program(
                "echo \"up $CONVOKE_TASK_ID $CONVOKE_TASK_ATTEMPT 0 $$\" > SAID; kill -STOP $$;"
                    + " exit 3"));
    kit.submit("a");
    ProcessHandle program = process(said.await("up a 1", LONG));
    JavaProcess _ = kit.pod("--slots", "1", "--exec", program(STAYS));
    first.pause(true);
    String _ = said.await("up a 2", LONG);
    int _ = new ProcessBuilder("kill", "-CONT", Long.toString(program.pid())).start().waitFor();
    first.pause(false);
    // Takes a task again only when it has done with the old one.
    kit.submit("b");
    String _ = said.await("up b 1", LONG);
    assertThat(kit.find("a").state()).isEqualTo(TaskState.PROCESSING);
    kit.stop("a");
    assertThat(kit.await("a", TaskState.SUCCESS).error()).isEmpty();
  }

  @Tag("nightly")
  @Test
  void toldToEndItLetsItsTaskEnd() throws Exception {
    Path gate = folder.resolve("gate");
    int _ = new ProcessBuilder("mkfifo", gate.toString()).start().waitFor();
    JavaProcess pod =
        kit.pod(
            "--slots",
            "2",
            "--exec",
            program("echo \"up $CONVOKE_TASK_ID\" > SAID; read -r line < " + gate + "; exit 0"));
    kit.submit("a");
    String _ = said.await("up a", LONG);
    CompletableFuture<Integer> code =
        CompletableFuture.supplyAsync(pod::stop, Thread::startVirtualThread);
    kit.awaitNoTaker();
    kit.submit("b");
    // Open for both, so that it does not wait for a reader.
    try (RandomAccessFile end = new RandomAccessFile(gate.toFile(), "rw")) {
      end.write("go\n".getBytes(StandardCharsets.UTF_8));
      TaskTransition _ = kit.await("a", TaskState.SUCCESS);
    }
    assertThat(code.get(30, TimeUnit.SECONDS)).isZero();
    assertThat(kit.find("b").state()).isEqualTo(TaskState.PENDING);
  }

  @Tag("nightly")
  @Test
  void whatDoesNotEndInTimeIsGivenBackAndBegunElsewhereAtOnce() throws Exception {
    JavaProcess pod = kit.pod("--slots", "1", "--drain", "300ms", "--exec", program(STAYS));
    kit.submit("a");
    ProcessHandle program = process(said.await("up a 1", LONG));
    JavaProcess _ = kit.pod("--slots", "1", "--exec", program(STAYS));
    assertThat(pod.stop()).isZero();
    Instant ended = Instant.now();
    ProcessHandle _ = program.onExit().get(20, TimeUnit.SECONDS);
    String _ = said.await("up a 2", LONG);
    assertThat(Duration.between(ended, Instant.now())).isLessThan(Duration.ofSeconds(3));
    assertThat(kit.await("a", TaskState.PENDING, 1).error()).isEqualTo("its pod was shut down");
  }

  /** No other pod can open it either, so it fails after its attempts, with the reason. */
  @Test
  @Tag("nightly")
  void aTokenOfAnotherKeyIsLeftToOtherPods() throws IOException {
    String other = Base64.getEncoder().encodeToString(SecretBox.newKey());
    JavaProcess _ =
        kit.with("CONVOKE_SECRET_KEY", other).pod("--slots", "1", "--exec", program(STAYS));
    kit.submit("a", "job", "room", "{\"access_token\": \"007eJx\"}");
    TaskTransition end = kit.await("a", TaskState.FAILED);
    assertThat(end.attempt()).isEqualTo(3);
    assertThat(end.error()).contains("its access token cannot be opened here");
    assertThat(kit.logs()).contains("Cannot open the access token").doesNotContain("007eJx");
    kit.submit("plain", "job", "room", "{}");
    assertThat(said.await("up", LONG)).startsWith("up plain 1");
  }

  @Test
  @Tag("nightly")
  void itTellsHowItIs() throws Exception {
    JavaProcess pod =
        kit.pod(
            "--slots", "3", "--port", "0", "--exec", "true", "--capacity", "4", "--cost", "big=4");
    assertThat(get(pod.url(), "/livez").statusCode()).isEqualTo(200);
    assertThat(get(pod.url(), "/readyz").statusCode()).isEqualTo(200);
    kit.submit("a", "big", "room", "{}");
    TaskTransition _ = kit.await("a", TaskState.SUCCESS);
    assertThat(get(pod.url(), "/metrics").body())
        .contains("convoke_pod_slots 3.0")
        .contains("convoke_pod_tasks_seconds_count{outcome=\"done\"} 1");
    assertThat(get(pod.url(), "/other").statusCode()).isEqualTo(404);
  }

  @Test
  @Tag("nightly")
  void wrongArgumentsAndSettingsAreExitCodeTwo() throws IOException {
    assertThat(kit.launch("--slots", "0", "--exec", "true").exit()).isEqualTo(2);
    assertThat(kit.launch("--slots", "1", "--exec", "true", "--cost", "a=1").exit()).isEqualTo(2);
    assertThat(kit.launch("--slots", "1", "--grace", "soon").exit()).isEqualTo(2);
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertThat(kit.launch("--slots", "1", "--exec", "true", "--port", port).exit()).isEqualTo(2);
    }
    assertThat(kit.with("CONVOKE_SECRET_KEY", "").launch("--slots", "1", "--exec", "true").exit())
        .isEqualTo(2);
    assertThat(kit.logs())
        .contains("convoke: --slots must be from 1 to 1000")
        .contains("convoke: --cost needs --capacity")
        .contains("convoke: CONVOKE_SECRET_KEY is missing")
        .contains(" of 127.0.0.1: ")
        .doesNotContain("\tat ");
  }

  /** Starts again with another configuration. */
  private void reopen(DispatchConfig config) throws IOException {
    kit.close();
    kit = new PodTestKit(folder, "io.convoke.agent.ReferencePod", config);
  }

  private String program(String script) {
    return script.replace("SAID", said.toString());
  }

  private static HttpResponse<String> get(URI pod, String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(pod.resolve(path)).build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static String word(String line, int index) {
    return line.split(" ", -1)[index];
  }

  private static ProcessHandle process(String line) {
    return ProcessHandle.of(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .orElseThrow();
  }
}
