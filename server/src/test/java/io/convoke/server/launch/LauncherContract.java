package io.convoke.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.launch.Launcher.BotExit;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.Launcher.RunningBot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract of every launcher. */
public abstract class LauncherContract {
  private static final AtomicLong MEETINGS = new AtomicLong(1000);
  protected static final Duration GRACE = Duration.ofSeconds(20);
  protected static final Duration SHORT_GRACE = Duration.ofSeconds(1);

  private final List<Launcher> launchers = new ArrayList<>();

  /** Creates a launcher as a server does at its start. */
  protected abstract Launcher open() throws Exception;

  /** Makes the platform unreachable while the bots keep running. */
  protected abstract void takeAway() throws Exception;

  /** Ends {@link #takeAway}. */
  protected abstract void bringBack() throws Exception;

  /** The handle of a bot that never existed. */
  protected abstract String strangeHandle(String ofAnother);

  /** Whether the platform can be made unreachable. */
  protected boolean canBeAway() {
    return true;
  }

  /** Whether a launcher that did not see the exit still reports its code. */
  protected boolean remembersForOthers() {
    return true;
  }

  /** Whether a launcher reports the exit code of a bot that another one started. */
  protected boolean seesCodesOfOthers() {
    return true;
  }

  /** What to launch for this conduct. */
  protected LaunchSpec spec(ScriptedBot bot) {
    return bot.spec(nextMeeting());
  }

  /** A meeting that no other launch is for. */
  protected static long nextMeeting() {
    return MEETINGS.incrementAndGet();
  }

  /** The exit code of a bot that was asked to end. */
  protected int politeCode() {
    return 3;
  }

  /** The exit code of a bot that fails. */
  protected int brokenCode() {
    return 7;
  }

  @AfterEach
  void closeAll() {
    for (Launcher launcher : launchers) {
      launcher.list().forEach(bot -> launcher.kill(bot.handle()));
      launcher.close();
    }
  }

  @Test
  void aBotRunsIsListedAndIsMadeOnce() throws Exception {
    Launcher launcher = launcher();
    LaunchSpec spec = spec(ScriptedBot.POLITE);
    String handle = launcher.launch(spec);
    awaitUp(launcher, handle);
    assertThat(launcher.launch(spec)).isEqualTo(handle);
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(launcher.list()).containsExactly(new RunningBot(handle, spec.containerName()));
  }

  @Test
  void anExitIsReportedWithItsCodeAndItsLastOutput() throws Exception {
    Launcher launcher = launcher();
    BlockingQueue<BotExit> exits = exits(launcher);
    LaunchSpec spec = spec(ScriptedBot.BROKEN);
    String handle = launcher.launch(spec);
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, spec.containerName(), Optional.of(brokenCode())));
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.of(brokenCode())));
    assertThat(launcher.remains(handle).lastLines()).containsExactly("no door here");
    assertThat(launcher.list()).isEmpty();
    assertThat(exits).as("told once").isEmpty();
  }

  @Test
  void aStopIsObeyedWithinItsGrace() throws Exception {
    Launcher launcher = launcher();
    String handle = up(launcher, ScriptedBot.POLITE);
    assertThat(launcher.stop(handle, GRACE)).isEqualTo(new Probe.Gone(Optional.of(politeCode())));
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.of(politeCode())));
    assertThat(launcher.stop(handle, GRACE)).as("again").isInstanceOf(Probe.Gone.class);
  }

  @Test
  void aStopThatIsNotObeyedEndsTheBotAllTheSame() throws Exception {
    Launcher launcher = launcher();
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.DEAF);
    assertThat(launcher.stop(handle, SHORT_GRACE)).isInstanceOf(Probe.Gone.class);
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(launcher.list()).isEmpty();
  }

  @Test
  void aKillNeedsNoConsent() throws Exception {
    Launcher launcher = launcher();
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.DEAF);
    assertThat(launcher.kill(handle)).isInstanceOf(Probe.Gone.class);
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(launcher.kill(handle)).as("again").isInstanceOf(Probe.Gone.class);
  }

  @Test
  void theNextServerFindsTheBotAndSeesItsExit() throws Exception {
    LaunchSpec spec = spec(ScriptedBot.POLITE);
    Launcher before = launcher();
    String handle = before.launch(spec);
    awaitUp(before, handle);

    Launcher next = launcher();
    BlockingQueue<BotExit> exits = exits(next);
    assertThat(next.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(next.list()).containsExactly(new RunningBot(handle, spec.containerName()));
    assertThat(next.launch(spec)).as("no second bot").isEqualTo(handle);
    assertThat(before.stop(handle, GRACE)).isInstanceOf(Probe.Gone.class);
    BotExit botExit = exits.poll(30, TimeUnit.SECONDS);
    assertThat(botExit).isNotNull();
    assertThat(botExit.containerName()).isEqualTo(spec.containerName());
    if (seesCodesOfOthers()) {
      assertThat(botExit.exitCode()).contains(politeCode());
    }
    if (remembersForOthers()) {
      assertThat(launcher().probe(handle)).isEqualTo(new Probe.Gone(Optional.of(politeCode())));
    }
  }

  @Test
  void whatItNeverMadeItDoesNotKnow() throws Exception {
    Launcher launcher = launcher();
    String handle = up(launcher, ScriptedBot.POLITE);
    assertThat(launcher.sameBot(handle, handle)).isTrue();
    assertThat(launcher.sameBot(strangeHandle(handle), handle)).isFalse();
    assertThat(launcher.probe(strangeHandle(handle)))
        .isInstanceOfAny(Probe.Unknown.class, Probe.Gone.class);
    assertThat(launcher.probe("elsewhere:1234")).isEqualTo(new Probe.Unknown());
    assertThat(launcher.stop("elsewhere:1234", GRACE)).isEqualTo(new Probe.Unknown());
    assertThat(launcher.remains("elsewhere:1234")).isEqualTo(Launcher.BotExitDetails.NONE);
  }

  @Test
  void anUnreachablePlatformIsNoEvidenceOfAnExit() throws Exception {
    if (!canBeAway()) {
      return;
    }
    Launcher launcher = launcher();
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.POLITE);
    takeAway();
    try {
      assertThat(launcher.probe(handle)).isInstanceOf(Probe.Unreachable.class);
      assertThat(launcher.stop(handle, SHORT_GRACE)).isInstanceOf(Probe.Unreachable.class);
      assertThat(launcher.kill(handle)).isInstanceOf(Probe.Unreachable.class);
      assertThatThrownBy(launcher::list).isInstanceOf(LauncherUnavailable.class);
      assertThatThrownBy(() -> launcher.launch(spec(ScriptedBot.POLITE)))
          .isInstanceOf(LauncherUnavailable.class)
          .hasMessageNotContaining(ScriptedBot.SECRET);
      assertThat(exits).as("silence is no end").isEmpty();
    } finally {
      bringBack();
    }
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(launcher.stop(handle, GRACE)).isInstanceOf(Probe.Gone.class);
    assertThat(exits.poll(30, TimeUnit.SECONDS)).as("the stream is taken up again").isNotNull();
  }

  @Test
  void noCommandLineOfTheMachineShowsTheSecret() throws Exception {
    Launcher launcher = launcher();
    String _ = up(launcher, ScriptedBot.POLITE);
    assertThat(ProcessHandle.allProcesses().map(process -> process.info().commandLine().orElse("")))
        .noneMatch(line -> line.contains(ScriptedBot.SECRET));
  }

  protected final Launcher launcher() throws Exception {
    Launcher launcher = open();
    launchers.add(launcher);
    return launcher;
  }

  protected final String up(Launcher launcher, ScriptedBot bot) throws Exception {
    String handle = launcher.launch(spec(bot));
    awaitUp(launcher, handle);
    return handle;
  }

  protected static void awaitUp(Launcher launcher, String handle) {
    Await.until(handle + " to print up", () -> launcher.remains(handle).lastLines().contains("up"));
  }

  protected static BlockingQueue<BotExit> exits(Launcher launcher) {
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    return exits;
  }
}
