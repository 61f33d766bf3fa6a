package io.convoke.server.launch.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.launch.Await;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher.BotExit;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.Launcher.RunningBot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The session is the bot: it lives while any of its processes runs. */
class BotSessionTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String NAME = "convoke-bot-1-1-c0ffee00";

  @TempDir Path folder;

  @BeforeEach
  void writePrograms() throws IOException {
    Files.writeString(
        folder.resolve("deaf"),
        "trap '' TERM\necho $$ >> PIDS\nwhile :; do sleep 0.05; done\n"
            .replace("PIDS", folder.resolve("pids").toString()));
    Files.writeString(
        folder.resolve("waiting"),
        "echo $$ >> PIDS\nwhile [ ! -e END ]; do sleep 0.05; done\n"
            .replace("PIDS", folder.resolve("pids").toString())
            .replace("END", folder.resolve("end").toString()));
  }

  @AfterEach
  void endEverything() {
    running().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
  }

  @Test
  void aProgramBehindTheShellThatIgnoresSigtermIsEndedBeforeTheBotIs() throws Exception {
    ProcessLauncher launcher = launcher("sh DEAF; exit 5");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launch(launcher);
    endFirst(handle);

    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(launcher.list()).containsExactly(new RunningBot(handle, NAME));
    assertThat(exits).as("the bot runs on").isEmpty();

    assertThat(launcher.stop(handle, SHORT)).isEqualTo(new Probe.Gone(Optional.of(143)));
    assertThat(running()).isEmpty();
    assertThat(exits.poll(10, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, NAME, Optional.of(143)));
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.of(143)));
    assertThat(launcher.list()).isEmpty();
    assertThat(exits).as("told once").isEmpty();
  }

  @Tag("nightly")
  @Test
  void aStopWaitsTheWholeGraceForAProgramBehindTheShell() throws Exception {
    ProcessLauncher launcher = launcher("sh DEAF; exit 5");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launch(launcher);
    long told = System.nanoTime();
    assertThat(launcher.stop(handle, Duration.ofSeconds(1))).isInstanceOf(Probe.Gone.class);
    assertThat(System.nanoTime() - told).isGreaterThan(Duration.ofSeconds(1).toNanos());
    assertThat(running()).isEmpty();
    assertThat(exits.poll(10, TimeUnit.SECONDS)).isNotNull();
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "( sh DEAF & ); exec sleep 600",
        "( setsid sh DEAF & ); exec sleep 600",
        "setsid env -i PATH=\"$PATH\" sh DEAF; exit 0",
        "( env -i PATH=\"$PATH\" sh DEAF & ); exit 0",
      })
  void nothingThatABotStartedOutlivesItsStop(String command) throws Exception {
    ProcessLauncher launcher = launcher(command);
    String handle = launch(launcher);
    assertThat(launcher.stop(handle, SHORT)).isInstanceOf(Probe.Gone.class);
    assertThat(running()).isEmpty();
    assertThat(launcher.list()).isEmpty();
  }

  @Tag("nightly")
  @Test
  void theExitIsReportedAfterTheLastProcessWithTheCodeOfTheFirst() throws Exception {
    ProcessLauncher launcher = launcher("sh WAITING & exit 3");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launch(launcher);
    assertThat(exits.poll(500, TimeUnit.MILLISECONDS)).as("something of it runs").isNull();
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    Files.createFile(folder.resolve("end"));
    assertThat(exits.poll(10, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, NAME, Optional.of(3)));
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.of(3)));
  }

  @Test
  void theNextServerEndsWhatTheFirstProcessOfAnEarlierBotLeft() throws Exception {
    ProcessLauncher before = launcher("sh DEAF; exit 5");
    String handle = launch(before);
    before.close();
    endFirst(handle);

    ProcessLauncher next = launcher("sh DEAF; exit 5");
    BlockingQueue<BotExit> exits = exits(next);
    assertThat(next.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(next.list()).extracting(RunningBot::containerName).containsExactly(NAME);
    assertThat(ProcessRef.parse(next.launch(spec())).orElseThrow().pid())
        .as("no second bot")
        .isEqualTo(ProcessRef.parse(handle).orElseThrow().pid());
    assertThat(next.stop(handle, SHORT)).isInstanceOf(Probe.Gone.class);
    assertThat(running()).isEmpty();
    assertThat(exits.poll(10, TimeUnit.SECONDS)).isNotNull();
    assertThat(next.list()).isEmpty();
  }

  /** Ends only the first process, as a signal from outside or a crash does. */
  private void endFirst(String handle) {
    long pid = ProcessRef.parse(handle).orElseThrow().pid();
    boolean _ = ProcessHandle.of(pid).orElseThrow().destroy();
    Await.until("the first process to end", () -> !runs(pid));
  }

  private ProcessLauncher launcher(String command) throws IOException {
    return new ProcessLauncher(
        folder,
        BotCommandLine.shell(
            command
                .replace("DEAF", folder.resolve("deaf").toString())
                .replace("WAITING", folder.resolve("waiting").toString())));
  }

  /** Launches and waits until the program behind the first process runs. */
  private String launch(ProcessLauncher launcher) throws Exception {
    String handle = launcher.launch(spec());
    Await.until("the program", () -> pids().size() == 1);
    return handle;
  }

  private static LaunchSpec spec() {
    String config = "{\"connection_id\":\"c0ffee00\",\"container_name\":\"" + NAME + "\"}";
    return new LaunchSpec(1, 1, "c0ffee00", NAME, config);
  }

  private List<Long> pids() {
    try {
      return Files.readAllLines(folder.resolve("pids")).stream().map(Long::valueOf).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private List<Long> running() {
    return pids().stream().filter(BotSessionTest::runs).toList();
  }

  /** Whether it runs and is no zombie. */
  private static boolean runs(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  private static BlockingQueue<BotExit> exits(ProcessLauncher launcher) {
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    return exits;
  }
}
