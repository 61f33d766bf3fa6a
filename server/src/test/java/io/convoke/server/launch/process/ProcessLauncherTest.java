package io.convoke.server.launch.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.launch.Await;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher.BotExit;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.Launcher.RunningBot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes: started, found again, ended, without the server's environment. */
class ProcessLauncherTest {
  @TempDir Path folder;
  private final List<ProcessLauncher> launchers = new ArrayList<>();

  @AfterEach
  void endEverything() {
    launchers.forEach(launcher -> launcher.stopAll(Duration.ofSeconds(1)));
  }

  @Test
  void theSameNameIsLaunchedOnce() throws Exception {
    ProcessLauncher launcher = launcher("exec sleep 600");
    String handle = launcher.launch(spec("bot-1"));
    awaitRecord("bot-1");
    assertThat(launcher.launch(spec("bot-1"))).isEqualTo(handle);
    assertThat(launcher.probe(handle)).isInstanceOf(Probe.Alive.class);
    assertThat(launcher.list()).containsExactly(new RunningBot(handle, "bot-1"));
  }

  @Test
  void aBotOfARenamedMachineOrOfOneWhoseClockWasSetIsTheSame() throws Exception {
    ProcessLauncher launcher = launcher("exec sleep 600");
    String handle = "process:here:7:100000:bot-1";
    assertThat(launcher.sameBot("process:there:7:100900:bot-1", handle)).isTrue();
    assertThat(launcher.sameBot("process:there:8:100900:bot-1", handle)).isFalse();
    assertThat(launcher.sameBot("process:there:7:140000:bot-1", handle)).isFalse();
    assertThat(launcher.sameBot("process:here:7:140000:bot-1", handle)).isTrue();
    assertThat(launcher.sameBot("process:here:8:100000:bot-1", handle)).isFalse();
  }

  @Test
  void aSecondBotIsKilledWithoutTheOtherOneOfThisMachine(@TempDir Path elsewhere) throws Exception {
    LaunchSpec marked =
        new LaunchSpec(1, 1, "connection", "bot-1", "{\"container_name\":\"bot-1\"}");
    ProcessLauncher other = new ProcessLauncher(elsewhere, BotCommandLine.shell("exec sleep 600"));
    launchers.add(other);
    String first = other.launch(marked);
    ProcessLauncher launcher = launcher("exec sleep 600");
    String second = launcher.launch(marked);
    assertThat(launcher.killSecond(second)).isTrue();
    assertThat(other.probe(first)).isInstanceOf(Probe.Alive.class);
    assertThat(launcher.killSecond(second)).as("it had ended").isFalse();
    assertThat(other.probe(first)).isInstanceOf(Probe.Alive.class);
  }

  @Test
  void anExitIsReportedWithItsCode() throws Exception {
    ProcessLauncher launcher = launcher("exit 7");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launcher.launch(spec("bot-1"));
    assertThat(exits.poll(10, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "bot-1", Optional.of(7)));
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.of(7)));
  }

  @Test
  void aStopIsPoliteThenNot() throws Exception {
    ProcessLauncher polite = launcher("trap 'exit 3' TERM; echo up; while :; do sleep 0.05; done");
    String handle = polite.launch(spec("polite"));
    awaitLine("polite", "up");
    assertThat(polite.stop(handle, Duration.ofSeconds(10)))
        .isEqualTo(new Probe.Gone(Optional.of(3)));
    ProcessLauncher deaf = launcher("trap '' TERM; echo up; while :; do sleep 0.05; done");
    String stubborn = deaf.launch(spec("deaf"));
    awaitLine("deaf", "up");
    assertThat(deaf.stop(stubborn, Duration.ofMillis(200))).isInstanceOf(Probe.Gone.class);
  }

  @Test
  void aBotIsFoundByTheNextServerAndItsExitIsReported() throws Exception {
    String handle = launcher("exec sleep 600").launch(spec("bot-1"));
    awaitRecord("bot-1");

    ProcessLauncher next = launcher("exec sleep 600");
    BlockingQueue<BotExit> exits = exits(next);
    assertThat(next.probe(handle)).isInstanceOf(Probe.Alive.class);
    assertThat(next.list()).containsExactly(new RunningBot(handle, "bot-1"));
    assertThat(next.launch(spec("bot-1"))).as("no second bot").isEqualTo(handle);
    assertThat(next.stop(handle, Duration.ofSeconds(5))).isInstanceOf(Probe.Gone.class);
    assertThat(exits.poll(10, TimeUnit.SECONDS)).isNotNull();
    assertThat(next.list()).isEmpty();
  }

  @Tag("nightly")
  @Test
  void aServerThatIsKilledLeavesItsBotsAlone() throws Exception {
    Process server =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                LaunchAndWait.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .start();
    String handle;
    try (var output = server.inputReader()) {
      String line = output.readLine();
      while (line != null && !line.startsWith("process:")) {
        line = output.readLine();
      }
      handle = java.util.Objects.requireNonNull(line, "the server launched a bot");
      server.destroyForcibly().waitFor();
    }
    ProcessLauncher next = launcher("exec sleep 600");
    assertThat(next.probe(handle)).isInstanceOf(Probe.Alive.class);
    assertThat(next.stop(handle, Duration.ofSeconds(5))).isInstanceOf(Probe.Gone.class);
  }

  @Test
  void onlyWhatABotNeedsIsInherited() throws Exception {
    ProcessLauncher launcher = launcher("env | cut -d= -f1 | sort | tr '\\n' ' '; echo; echo done");
    String _ = launcher.launch(spec("bot-1"));
    List<String> names = List.of(awaitLine("bot-1", "done").split("\\s+"));
    assertThat(names).contains("BOT_CONFIG", "PATH");
    assertThat(names)
        .isSubsetOf("BOT_CONFIG", "PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_", "done");
  }

  @Test
  void aHandleOfAnotherMachineIsNoEvidence() throws Exception {
    ProcessLauncher launcher = launcher("exit 0");
    assertThat(launcher.probe("process:elsewhere:1:0:bot-1")).isInstanceOf(Probe.Unreachable.class);
    assertThat(launcher.probe("docker:1234")).isInstanceOf(Probe.Unknown.class);
  }

  @Test
  void anotherProcessWithTheSameIdIsNotTheBot() throws Exception {
    ProcessLauncher launcher = launcher("exec sleep 600");
    String handle = launcher.launch(spec("bot-1"));
    ProcessRef real = ProcessRef.parse(handle).orElseThrow();
    ProcessRef earlier =
        new ProcessRef(real.host(), real.pid(), real.startMillis() - 60_000, "bot-0");
    assertThat(launcher.probe(earlier.toString())).isInstanceOf(Probe.Gone.class);
  }

  @Test
  void aLogThatGrewTooLongLosesItsBeginning() throws Exception {
    ProcessLauncher launcher = launcher("exec sleep 600");
    String _ = launcher.launch(spec("bot-1"));
    Path log = folder.resolve("bot-1.log");
    Files.write(log, new byte[9 << 20]);
    List<RunningBot> _ = launcher.list();
    assertThat(Files.size(log)).isZero();
    assertThat(Files.size(folder.resolve("bot-1.log.1"))).isEqualTo(1 << 20);
  }

  /** The main class of a server that launches a bot and waits to be killed. */
  static final class LaunchAndWait {
    private LaunchAndWait() {}

    public static void main(String[] args) throws IOException, LaunchException {
      ProcessLauncher launcher =
          new ProcessLauncher(Path.of(args[0]), BotCommandLine.shell("exec sleep 600"));
      System.out.println(launcher.launch(new LaunchSpec(1, 1, "connection", "bot-1", "{}")));
      int _ = System.in.read();
    }
  }

  private ProcessLauncher launcher(String command) throws IOException {
    ProcessLauncher launcher = new ProcessLauncher(folder, BotCommandLine.shell(command));
    launchers.add(launcher);
    return launcher;
  }

  private static BlockingQueue<BotExit> exits(ProcessLauncher launcher) {
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    return exits;
  }

  private static LaunchSpec spec(String name) {
    return new LaunchSpec(1, 1, "connection", name, "{\"token\":\"secret\"}");
  }

  /** Waits until the bot has written its own record. */
  private void awaitRecord(String name) {
    await(() -> Files.exists(folder.resolve(name + ".pid")), "the record of " + name);
  }

  private String awaitLine(String name, String last) {
    Path log = folder.resolve(name + ".log");
    await(
        () -> {
          try (Stream<String> lines = Files.lines(log)) {
            return lines.anyMatch(line -> line.contains(last));
          } catch (IOException e) {
            return false;
          }
        },
        name + " to print " + last);
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(java.util.function.BooleanSupplier condition, String what) {
    Await.until(what, Duration.ofSeconds(10), condition);
  }
}
