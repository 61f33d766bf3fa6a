package io.convoke.server.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.launch.Await;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each bot has a user of its own: it reads nothing of another bot or the server. */
@NeedsRoot
class BotUsersTest {
  private static final String OTHER = "token-of-the-other-bot";

  /** Looks into every process it may, and prints what it found. */
  private static final String CURIOUS =
      """
      case "$BOT_CONFIG" in *waits*) echo up; exec sleep 600 ;; esac
      echo "user $(id -u) $(id -g) $(id -G)"
      grep -E '^(NoNewPrivs|CapPrm|CapEff|CapBnd|CapAmb):' /proc/self/status | tr -d '\\t'
      for p in /proc/[0-9]*; do
        cat $p/environ 2>/dev/null | grep -aq OTHER && echo "the other bot's token"
      done
      cat /proc/SERVER/environ > /dev/null 2>&1 && echo "the server's secrets"
      cat FOLDER/other.log > /dev/null 2>&1 && echo "the other bot's log"
      kill -0 SERVER 2>/dev/null && echo "the server can be signalled"
      (echo x > $HOME/file && cd && [ "$(pwd)" = "$HOME" ] && pwd) || echo "no home"
      echo done
      """;

  @TempDir Path folder;
  private final List<ProcessLauncher> launchers = new ArrayList<>();

  @AfterEach
  void endEverything() {
    launchers.forEach(launcher -> launcher.stopAll(Duration.ofSeconds(1)));
  }

  @Tag("nightly")
  @Test
  void withoutUsersABotReadsTheOtherAndTheServer() throws Exception {
    ProcessLauncher launcher = launcher(Optional.empty());
    waiting(launcher, "other");
    assertThat(curious(launcher))
        .contains("user 0 0 0", "the other bot's token", "the server's secrets")
        .contains("the other bot's log", "the server can be signalled");
  }

  @Test
  void withUsersItReadsNeitherAndHasNoRights() throws Exception {
    ProcessLauncher launcher = launcher(users(64_100, 64_109));
    waiting(launcher, "other");
    List<String> said = curious(launcher);
    assertThat(said)
        .containsExactly(
            "user 64101 64101 64101",
            "CapPrm:0000000000000000",
            "CapEff:0000000000000000",
            "CapBnd:0000000000000000",
            "CapAmb:0000000000000000",
            "NoNewPrivs:1",
            said.get(6),
            "done");
    Path home = Path.of(said.get(6));
    Await.until("its home to be gone", () -> !Files.exists(home));
    assertThat(home.toString()).startsWith(System.getProperty("java.io.tmpdir"));
  }

  @Test
  void theNextServerFindsTheBotsEndsThemAndGivesNoUserTwice() throws Exception {
    ProcessLauncher before = launcher(users(64_110, 64_111));
    String first = waiting(before, "first");
    before.close();
    ProcessLauncher next = launcher(users(64_110, 64_111));
    assertThat(next.probe(first)).isEqualTo(new Probe.Alive());
    String second = waiting(next, "second");
    assertThat(List.of(userOf(first), userOf(second))).containsExactly(64_110, 64_111);
    LaunchSpec third = spec("third", "waits");
    assertThatThrownBy(() -> next.launch(third))
        .isInstanceOf(LaunchException.class)
        .hasMessage("every user of CONVOKE_BOT_UIDS has a bot: 64110-64111");
    assertThat(next.stop(first, Duration.ofSeconds(5))).isInstanceOf(Probe.Gone.class);
    assertThat(next.kill(second)).isInstanceOf(Probe.Gone.class);
    assertThat(userOf(waiting(next, "third"))).isEqualTo(64_110);
  }

  @Test
  void whatABotLeftBehindKeepsItsUserInUse() throws Exception {
    int user = 64_120;
    Process left =
        new ProcessBuilder(
                "setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", "sleep", "600")
            .start();
    try {
      Await.until("it to be another user", () -> userOf(left.pid()) == user);
      ProcessLauncher launcher = launcher(users(user, user + 1));
      assertThat(userOf(waiting(launcher, "bot"))).isEqualTo(user + 1);
    } finally {
      left.destroyForcibly();
    }
  }

  private List<String> curious(ProcessLauncher launcher) throws Exception {
    String handle = launcher.launch(spec("curious", "asks"));
    Await.until("the bot to end", () -> launcher.probe(handle) instanceof Probe.Gone);
    return Files.readAllLines(folder.resolve("curious.log"));
  }

  private String waiting(ProcessLauncher launcher, String name) throws Exception {
    String handle = launcher.launch(spec(name, "waits"));
    Await.until(name + " to be up", () -> printed(name).contains("up"));
    return handle;
  }

  private String printed(String name) {
    try {
      return Files.readString(folder.resolve(name + ".log"));
    } catch (IOException e) {
      return "";
    }
  }

  private static int userOf(String handle) {
    return userOf(ProcessRef.parse(handle).orElseThrow().pid());
  }

  private static int userOf(long pid) {
    try {
      return (Integer) Files.getAttribute(Path.of("/proc/" + pid), "unix:uid");
    } catch (IOException e) {
      return -1;
    }
  }

  private static LaunchSpec spec(String name, String act) {
    String token = act.equals("waits") ? OTHER : "mine";
    return new LaunchSpec(
        1,
        1,
        "c0ffee00-0000-4000-8000-000000000001",
        name,
        "{\"act\":\"%s\",\"token\":\"%s\",\"container_name\":\"%s\"}".formatted(act, token, name));
  }

  private static Optional<BotUsers> users(int first, int last) {
    return Optional.of(new BotUsers(first, last));
  }

  private ProcessLauncher launcher(Optional<BotUsers> users) throws IOException {
    String script =
        CURIOUS
            .replace("OTHER", OTHER)
            .replace("SERVER", Long.toString(ProcessHandle.current().pid()))
            .replace("FOLDER", folder.toString());
    ProcessLauncher launcher = new ProcessLauncher(folder, BotCommandLine.shell(script), users);
    launchers.add(launcher);
    return launcher;
  }
}
