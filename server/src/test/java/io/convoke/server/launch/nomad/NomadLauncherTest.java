package io.convoke.server.launch.nomad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.convoke.engine.json.Json;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault;
import io.convoke.fakes.orchestrator.nomad.FakeNomad;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.Launcher.BotExit;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.ScriptedBot;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Nomad only: idempotency tokens, refusals, lost nodes, garbage collection. */
class NomadLauncherTest {
  private final FakeNomad nomad = NomadContractTest.standIn(Duration.ofMinutes(1));
  private final List<Launcher> launchers = new ArrayList<>();

  @AfterEach
  void close() {
    launchers.forEach(Launcher::close);
    nomad.close();
  }

  @Test
  void aLostAnswerOfADispatchMakesNoSecondBot() throws Exception {
    Launcher launcher = launcher("test");
    LaunchSpec spec = ScriptedBot.POLITE.spec(1);
    nomad.faults().next("POST", new RequestFault.LoseAnswer());
    assertThatThrownBy(() -> launcher.launch(spec)).isInstanceOf(LauncherUnavailable.class);
    String handle = launcher.launch(spec);
    assertThat(nomad.dispatched("convoke_name", spec.containerName())).isEqualTo(1);
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(launcher.list()).hasSize(1);
  }

  @Test
  void aSlowAnswerIsWaitedFor() throws Exception {
    Launcher launcher = launcher("test");
    nomad.faults().next("POST", new RequestFault.DelayRequest(Duration.ofMillis(300)));
    assertThat(launcher.probe(launcher.launch(ScriptedBot.POLITE.spec(12))))
        .isEqualTo(new Probe.Alive());
  }

  /** The listing never sees it run; the next one would report it a minute later. */
  @Test
  void aBotThatExitsBeforeTheResponseToItsDispatchIsReported() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    nomad
        .faults()
        .next(
            fakeRequest -> fakeRequest.parameter("index").isPresent(),
            new RequestFault.DelayRequest(Duration.ofMillis(700)));
    nomad.faults().next("POST", new RequestFault.AnswerLate(Duration.ofMillis(1500)));
    launcher.onExit(exits::add);
    String handle = launcher.launch(ScriptedBot.BROKEN.spec(13));
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "convoke-bot-13-1-c0ffee00", Optional.of(7)));
  }

  @Test
  void whatNomadWillNeverDoIsTheEndOfTheLaunchAndWhatItCannotDoNowIsNot() {
    Launcher launcher = launcher("test");
    nomad.faults().next("POST", new RequestFault.RefuseRequest(500));
    assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(2)))
        .isInstanceOf(LauncherUnavailable.class)
        .hasMessageNotContaining(ScriptedBot.SECRET);
    Launcher noSuchJob = keep(new NomadLauncher(terms("no-such-job", FakeNomad.TOKEN)));
    assertThatThrownBy(() -> noSuchJob.launch(ScriptedBot.POLITE.spec(2)))
        .isInstanceOf(LaunchException.class)
        .hasMessageContaining("parameterized job not found");
    for (String job : List.of(FakeNomad.SERVICE, FakeNomad.STOPPED)) {
      Launcher wrongJob = keep(new NomadLauncher(terms(job, FakeNomad.TOKEN)));
      assertThatThrownBy(() -> wrongJob.launch(ScriptedBot.POLITE.spec(2)))
          .isInstanceOf(LaunchException.class)
          .hasMessageContaining(job);
    }
    Launcher noRights = keep(new NomadLauncher(terms(FakeNomad.JOB, "another-token")));
    assertThatThrownBy(() -> noRights.launch(ScriptedBot.POLITE.spec(2)))
        .isInstanceOf(LaunchException.class)
        .hasMessageContaining("Permission denied")
        .hasMessageNotContaining("another-token");
  }

  @Test
  void aJobThatDoesNotAllowOurMetadataIsSaidPlainly() {
    try (FakeNomad strict =
        new FakeNomad(ScriptedBot.SCRIPT, Set.of("BOT_CONFIG"), Duration.ofMinutes(1))) {
      Launcher launcher = keep(new NomadLauncher(NomadContractTest.terms(strict, "test")));
      assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(3)))
          .isInstanceOf(LaunchException.class)
          .hasMessageContaining("unpermitted metadata keys");
    }
    nomad.require("customer");
    assertThatThrownBy(() -> launcher("test").launch(ScriptedBot.POLITE.spec(3)))
        .isInstanceOf(LaunchException.class)
        .hasMessageContaining("did not provide required meta keys: [customer]");
  }

  @Test
  void aStoppedJobIsDeadForTheServersAndAliveUntilItsTaskHasEnded() throws Exception {
    Launcher launcher = launcher("test");
    String handle = up(launcher, ScriptedBot.DEAF.spec(4));
    NomadApi hand = new NomadApi(NomadContractTest.terms(nomad, "test"));
    hand.deregister(handle.substring("nomad:".length()));
    assertThat(hand.list(0, Duration.ZERO).jobs()).allMatch(NomadApi.NomadJob::active);
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(launcher("test").list()).as("the next server sees it too").hasSize(1);
    assertThat(launcher.kill(handle)).isEqualTo(new Probe.Gone(Optional.of(137)));
    hand.close();
  }

  @Test
  void aLostNodeAndABotOutOfMemoryAreReported() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    String greedy = up(launcher, ScriptedBot.POLITE.spec(5));
    nomad.outOfMemory(greedy.substring("nomad:".length()));
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(greedy, "convoke-bot-5-1-c0ffee00", Optional.of(137)));
    assertThat(launcher.remains(greedy).reason()).contains(Launcher.BotExitDetails.OUT_OF_MEMORY);

    String lost = up(launcher, ScriptedBot.POLITE.spec(6));
    nomad.lose(lost.substring("nomad:".length()));
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(lost, "convoke-bot-6-1-c0ffee00", Optional.empty()));
    assertThat(launcher.remains(lost).reason()).contains(Launcher.BotExitDetails.NODE_LOST);
    assertThat(launcher.list()).as("nor does its replacement run").isEmpty();
  }

  /** Without a {@code disconnect} block Nomad replaces it as soon as a node has room. */
  @Test
  void aLaunchThatNomadRunsASecondTimeIsEnded() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    String waiting = up(launcher, ScriptedBot.POLITE.spec(15));
    nomad.loseLastNode(waiting.substring("nomad:".length()));
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(waiting, "convoke-bot-15-1-c0ffee00", Optional.empty()));
  }

  /** As with a token that lacks {@code submit-job}. */
  @Test
  void aRefusalToStopAReplacementIsLoggedOnceUntilItChanges() throws Exception {
    Launcher launcher = launcher("test");
    String jobId = up(launcher, ScriptedBot.POLITE.spec(20)).substring("nomad:".length());
    nomad.lose(jobId);
    for (int status : List.of(403, 403, 403, 500)) {
      nomad.faults().next("DELETE", new RequestFault.RefuseRequest(status));
    }
    Logger logger = (Logger) LoggerFactory.getLogger(NomadLauncher.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    for (int i = 0; i < 5; i++) {
      List<Launcher.RunningBot> _ = launcher.list();
    }
    boolean _ = logger.detachAppender(log);
    assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage).toList())
        .satisfiesExactly(
            first -> assertThat(first).contains(jobId, "cannot be stopped", "403"),
            changed -> assertThat(changed).contains(jobId, "cannot be stopped", "500"),
            stopped -> assertThat(stopped).contains(jobId, "a second time").endsWith("stopped"));
  }

  /** One that waits for its first place is not, nor one whose node does not report. */
  @Test
  void aLaunchIsReplacedOnceItsGroupHasOrNeedsASecondAllocation() {
    assertThat(replaced("pending", Map.of("Queued", 1))).isFalse();
    assertThat(replaced("running", Map.of("Starting", 1))).isFalse();
    assertThat(replaced("running", Map.of("Unknown", 1))).isFalse();
    assertThat(replaced("dead", Map.of("Failed", 1))).isFalse();
    assertThat(replaced("pending", Map.of("Lost", 1, "Queued", 1))).isTrue();
    assertThat(replaced("running", Map.of("Unknown", 1, "Running", 1))).isTrue();
    assertThat(replaced("running", Map.of("Running", 1, "Starting", 1))).as("drained").isTrue();
    assertThat(replaced("dead", Map.of("Lost", 1, "Running", 1))).as("stopped").isFalse();
  }

  /** As when its node has died without a word. */
  @Test
  void aReasonIsKeptWhenTheOutputCannotBeRead() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    String handle = up(launcher, ScriptedBot.POLITE.spec(19));
    nomad.outOfMemory(handle.substring("nomad:".length()));
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    List<String> asked = askedForOutput();
    // More than the client's own retries.
    for (int i = 0; i < 20; i++) {
      nomad
          .faults()
          .next(fakeRequest -> fakeRequest.path().contains("logs"), new RequestFault.LoseAnswer());
    }
    assertThat(launcher.remains(handle))
        .isEqualTo(
            new Launcher.BotExitDetails(
                Optional.of(Launcher.BotExitDetails.OUT_OF_MEMORY), List.of()));
    assertThat(asked).as("no answer is waited for twice").containsOnly("stdout");
  }

  @Test
  void aNodeThatNomadHasLostIsNotAskedForOutput() throws Exception {
    Launcher launcher = launcher("test");
    String handle = up(launcher, ScriptedBot.POLITE.spec(21));
    nomad.disconnect(handle.substring("nomad:".length()));
    List<String> asked = askedForOutput();
    assertThat(launcher.remains(handle).reason()).contains(Launcher.BotExitDetails.NODE_LOST);
    assertThat(asked).isEmpty();
  }

  /** The streams of requests for output from now on. */
  private List<String> askedForOutput() {
    List<String> asked = new CopyOnWriteArrayList<>();
    nomad
        .faults()
        .next(
            fakeRequest -> {
              if (fakeRequest.path().contains("logs")) {
                asked.add(fakeRequest.parameter("type").orElse(""));
              }
              return false;
            },
            new RequestFault.RefuseRequest(500));
    return asked;
  }

  /** As with {@code disconnect { replace = false }} in the job. */
  @Test
  void aBotOfANodeThatDoesNotReportLivesUntilItIsStopped() throws Exception {
    Launcher launcher = launcher("test");
    String handle = up(launcher, ScriptedBot.POLITE.spec(16));
    nomad.disconnect(handle.substring("nomad:".length()));
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(launcher.stop(handle, Duration.ofSeconds(1)))
        .isEqualTo(new Probe.Gone(Optional.empty()));
    assertThat(launcher.remains(handle).reason()).contains(Launcher.BotExitDetails.NODE_LOST);
  }

  @Test
  void theExitCodeAndTheOutputAreNotThoseOfATaskBesideTheBot() throws Exception {
    nomad.addSidecar();
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    String handle = launcher.launch(ScriptedBot.BROKEN.spec(17));
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "convoke-bot-17-1-c0ffee00", Optional.of(7)));
    assertThat(launcher.remains(handle).lastLines()).containsExactly("no door here");
  }

  @Test
  void whyABotWasNotStartedIsItsLastLine() throws Exception {
    String why = "Failed to pull `registry.example.org/bot:1`: manifest unknown";
    nomad.failDriver(why);
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    String handle = launcher.launch(ScriptedBot.POLITE.spec(18));
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "convoke-bot-18-1-c0ffee00", Optional.empty()));
    assertThat(launcher.remains(handle).lastLines()).containsExactly(why);
  }

  /** Nomad does not wait for a change after index 0. */
  @Test
  void beforeNomadsFirstJobItIsNotAskedAgainAtOnce() throws Exception {
    nomad.unregister();
    Launcher launcher = launcher("test");
    BlockingQueue<Optional<String>> asked = new LinkedBlockingQueue<>();
    nomad
        .faults()
        .next(
            fakeRequest -> {
              asked.add(fakeRequest.parameter("index"));
              return false;
            },
            new RequestFault.RefuseRequest(500));
    launcher.onExit(_ -> {});
    assertThat(asked.poll(30, TimeUnit.SECONDS)).isEqualTo(Optional.empty());
    assertThat(asked.poll(30, TimeUnit.SECONDS)).isEqualTo(Optional.of("1"));
    nomad.register();
    assertThat(asked.poll(30, TimeUnit.SECONDS)).as("woken").isEqualTo(Optional.of("10"));
  }

  @Test
  void aGarbageCollectedJobIsUnknownToANewServerAndKnownToTheOld() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    String handle = launcher.launch(ScriptedBot.BROKEN.spec(7));
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    nomad.collectGarbage();
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.of(7)));
    assertThat(launcher("test").probe(handle)).isEqualTo(new Probe.Unknown());
  }

  @Test
  void anotherInstallationsBotsAreNotListed() throws Exception {
    String _ = launcher("theirs").launch(ScriptedBot.POLITE.spec(8));
    assertThat(launcher("ours").list()).isEmpty();
  }

  @Test
  void anExitDuringADowntimeIsReportedAfterTheRestart() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    String handle = up(launcher, ScriptedBot.POLITE.spec(9));
    nomad.shut();
    nomad.outOfMemory(handle.substring("nomad:".length()));
    assertThat(launcher.probe(handle)).isInstanceOf(Probe.Unreachable.class);
    nomad.open();
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
  }

  private static boolean replaced(String status, Map<String, Integer> counts) {
    return NomadApi.NomadJob.of(
            Json.tree(
                Map.of("Status", status, "JobSummary", Map.of("Summary", Map.of("bot", counts)))))
        .replaced();
  }

  private static String up(Launcher launcher, LaunchSpec spec) throws LaunchException {
    String handle = launcher.launch(spec);
    Await.until(handle + " to be up", () -> launcher.remains(handle).lastLines().contains("up"));
    return handle;
  }

  private Launcher launcher(String fleet) {
    return keep(new NomadLauncher(NomadContractTest.terms(nomad, fleet)));
  }

  private Launcher keep(Launcher launcher) {
    launchers.add(launcher);
    return launcher;
  }

  private NomadConfig terms(String job, String token) {
    URI address = nomad.url();
    return new NomadConfig(
        address,
        job,
        Optional.of(FakeNomad.NAMESPACE),
        Optional.empty(),
        Optional.of(token),
        "test",
        Optional.empty());
  }
}
