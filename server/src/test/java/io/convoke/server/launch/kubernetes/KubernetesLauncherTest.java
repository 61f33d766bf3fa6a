package io.convoke.server.launch.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.json.Json;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault;
import io.convoke.fakes.orchestrator.kubernetes.FakeKubernetes;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.BotSandbox;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.Launcher.BotExit;
import io.convoke.server.launch.Launcher.BotExitDetails;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.ScriptedBot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Kubernetes only: pods and their secrets, refusals, old versions, lost nodes. */
class KubernetesLauncherTest {
  private final FakeKubernetes cluster = new FakeKubernetes(ScriptedBot.SCRIPT);
  private final List<Launcher> launchers = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @AfterEach
  void close() {
    launchers.forEach(Launcher::close);
    cluster.close();
  }

  @Test
  void aCrashBetweenThePodAndItsSecretIsMadeGood() throws Exception {
    LaunchSpec spec = ScriptedBot.POLITE.spec(1);
    KubernetesApi hand = new KubernetesApi(terms("test"));
    assertThat(hand.create(spec)).isPresent();
    hand.close();
    assertThat(cluster.secrets()).isZero();

    Launcher next = launcher("test");
    String handle = next.launch(spec);
    awaitUp(next, handle);
    assertThat(cluster.pods()).isEqualTo(1);
    assertThat(next.stop(handle, Duration.ofSeconds(10))).isEqualTo(new Probe.Gone(Optional.of(3)));
    assertThat(cluster.secrets()).as("the secret goes with its pod").isZero();
    assertThat(cluster.complaints()).isEmpty();
  }

  @Test
  void aLostAnswerOfACreateMakesNoSecondBot() throws Exception {
    Launcher launcher = launcher("test");
    LaunchSpec spec = ScriptedBot.POLITE.spec(2);
    cluster.faults().next("POST", new RequestFault.LoseAnswer());
    assertThatThrownBy(() -> launcher.launch(spec)).isInstanceOf(LauncherUnavailable.class);
    String handle = launcher.launch(spec);
    awaitUp(launcher, handle);
    assertThat(cluster.pods()).isEqualTo(1);
  }

  @Test
  void aSecretThatIsRefusedLeavesNoPod() {
    Launcher launcher = launcher("test");
    cluster
        .faults()
        .next(
            fakeRequest -> fakeRequest.path().getLast().equals("secrets"),
            new RequestFault.RefuseRequest(403));
    assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(3)))
        .isInstanceOf(LaunchException.class)
        .hasMessageNotContaining(ScriptedBot.SECRET);
    assertThat(cluster.pods()).isZero();
  }

  @Test
  void aServerThatIsBusyATokenThatIsRenewedAndAQuotaThatIsUsedUpAreWaitedFor() throws Exception {
    Launcher launcher = launcher("test");
    cluster.faults().next("POST", new RequestFault.RefuseRequest(429));
    assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(4)))
        .isInstanceOf(LauncherUnavailable.class);
    Launcher stranger =
        keep(
            new KubernetesLauncher(
                new KubernetesConfig(
                    cluster.url(),
                    FakeKubernetes.NAMESPACE,
                    () -> Optional.of("another-token"),
                    Optional.empty(),
                    "test",
                    terms("test").image()),
                () -> now));
    assertThatThrownBy(() -> stranger.launch(ScriptedBot.POLITE.spec(4)))
        .isInstanceOf(LauncherUnavailable.class)
        .hasMessageContaining("Unauthorized")
        .hasMessageNotContaining("another-token");
    cluster.exceedQuota();
    assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(4)))
        .isInstanceOf(LauncherUnavailable.class)
        .hasMessageContaining("exceeded quota");
    cluster.uncountedQuota();
    assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(4)))
        .isInstanceOf(LauncherUnavailable.class)
        .hasMessageContaining("status unknown for quota");
    cluster.conflictInQuota();
    assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(4)))
        .isInstanceOf(LauncherUnavailable.class)
        .hasMessageContaining("resourcequotas");
    cluster.freeQuota();
    assertThat(launcher.probe(launcher.launch(ScriptedBot.POLITE.spec(4))))
        .isEqualTo(new Probe.Alive());
  }

  @Test
  void aSecretThatIsNotAnsweredIsSentAgainAndAPodWithoutOneIsNoFinishedLaunch() throws Exception {
    Launcher launcher = launcher("test");
    LaunchSpec spec = ScriptedBot.POLITE.spec(13);
    secretsFail(1);
    awaitUp(launcher, launcher.launch(spec));

    LaunchSpec other = ScriptedBot.POLITE.spec(14);
    secretsFail(2);
    assertThatThrownBy(() -> launcher.launch(other)).isInstanceOf(LauncherUnavailable.class);
    assertThat(launcher("test").list())
        .filteredOn(bot -> bot.containerName().equals(other.containerName()))
        .singleElement()
        .matches(Launcher.RunningBot::unfinished);
    awaitUp(launcher, launcher.launch(other));
    assertThat(launcher("test").list()).hasSize(2).noneMatch(Launcher.RunningBot::unfinished);
  }

  private void secretsFail(int times) {
    for (int i = 0; i < times; i++) {
      cluster
          .faults()
          .next(
              fakeRequest -> fakeRequest.path().getLast().equals("secrets"),
              new RequestFault.RefuseRequest(503));
    }
  }

  @Test
  void aPodWhoseNodeIsDeadIsUnknownForAWhileAndThenGoneAndRemovedByForce() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.POLITE.spec(15));
    cluster.nodeDies("convoke-bot-15-1-c0ffee00", now);
    assertThat(launcher.probe(handle)).as("it may be ending").isEqualTo(new Probe.Alive());
    now = now.plusSeconds(60);
    assertThat(launcher.probe(handle)).isInstanceOf(Probe.Unreachable.class);
    assertThat(launcher.list()).hasSize(1);
    now = now.plusSeconds(90);
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.empty()));
    assertThat(launcher.remains(handle).reason()).contains(Launcher.BotExitDetails.NODE_LOST);
    assertThat(launcher.list()).isEmpty();
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "convoke-bot-15-1-c0ffee00", Optional.empty()));
    assertThat(cluster.pods()).isZero();
    assertThat(launcher.remains(handle).reason())
        .as("the exit is handled after the removal")
        .contains(Launcher.BotExitDetails.NODE_LOST);
    assertThat(launcher.stop(handle, Duration.ofSeconds(1)))
        .isEqualTo(new Probe.Gone(Optional.empty()));
  }

  @Test
  void aBotWhoseNodeIsDrainedIsLostWithItAlsoOnceItsPodIsRemoved() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.POLITE.spec(19));
    cluster.drain("convoke-bot-19-1-c0ffee00");
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "convoke-bot-19-1-c0ffee00", Optional.of(3)));
    Await.until("the pod to be removed", () -> cluster.pods() == 0);
    assertThat(launcher.remains(handle).reason()).contains(BotExitDetails.NODE_LOST);
  }

  /** A pod that never ran printed nothing, and is removed before its end is handled. */
  @Test
  void whyABotNeverStartedIsTold() throws Exception {
    Launcher launcher = launcher("test");
    cluster.fillNodes();
    String waiting = launcher.launch(ScriptedBot.POLITE.spec(20));
    List<String> full = List.of("Unschedulable: 0/3 nodes are available: 3 Insufficient memory.");
    assertThat(launcher.remains(waiting).lastLines()).isEqualTo(full);
    assertThat(launcher.kill(waiting)).isEqualTo(new Probe.Gone(Optional.empty()));
    assertThat(launcher.remains(waiting).lastLines()).isEqualTo(full);

    String rejected = launcher.launch(ScriptedBot.POLITE.spec(21));
    cluster.reject("convoke-bot-21-1-c0ffee00");
    assertThat(launcher.probe(rejected)).isEqualTo(new Probe.Gone(Optional.empty()));
    assertThat(launcher.remains(rejected).lastLines())
        .singleElement()
        .asString()
        .startsWith("OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu");

    cluster.removeImage();
    String unpulled = launcher.launch(ScriptedBot.POLITE.spec(22));
    assertThat(launcher.kill(unpulled)).isEqualTo(new Probe.Gone(Optional.of(137)));
    assertThat(launcher.remains(unpulled).lastLines())
        .containsExactly("ImagePullBackOff: Back-off pulling image \"registry.example.org/bot:1\"");

    String broken = launcher.launch(ScriptedBot.POLITE.spec(25));
    cluster.failStart("convoke-bot-25-1-c0ffee00");
    assertThat(launcher.probe(broken)).isEqualTo(new Probe.Gone(Optional.of(128)));
    assertThat(launcher.remains(broken).lastLines())
        .containsExactly("StartError: failed to create containerd task: no such file: bot");
    assertThat(cluster.complaints()).isEmpty();
  }

  @Test
  void whatKeptAPodWaitingIsForgottenOnceItDoesNot() {
    PodRemarks podRemarks = new PodRemarks();
    podRemarks.note("pod", pending("\"reason\":\"Unpulled\",\"message\":\"no\""), Optional.empty());
    assertThat(podRemarks.of("pod").lastLines()).containsExactly("Unpulled: no");
    podRemarks.note("pod", pending("\"hostIP\":\"10.0.0.1\""), Optional.empty());
    assertThat(podRemarks.of("pod")).isEqualTo(BotExitDetails.NONE);
  }

  private static KubernetesPod pending(String status) {
    return KubernetesPod.of(Json.read("{\"status\":{\"phase\":\"Pending\"," + status + "}}"));
  }

  @Test
  void aWatchThatTheServerEndsEarlyDoesNotEndAStop() throws Exception {
    Launcher launcher = launcher("test");
    String handle = up(launcher, ScriptedBot.DEAF.spec(23));
    cluster.endNextWatch();
    assertThat(launcher.stop(handle, Duration.ofSeconds(1)))
        .isEqualTo(new Probe.Gone(Optional.of(137)));
    assertThat(cluster.complaints()).isEmpty();
  }

  /** How the bot ended is not seen: a pod that was deleted is gone from the API with its bot. */
  @Test
  void aStopWithoutTheRightToWatchListsLessAndLess() throws Exception {
    Launcher launcher = launcher("test");
    String handle = up(launcher, ScriptedBot.DEAF.spec(26));
    for (int i = 0; i < 100; i++) {
      cluster
          .faults()
          .next(
              fakeRequest -> fakeRequest.parameter("watch").isPresent(),
              new RequestFault.RefuseRequest(403));
    }
    AtomicInteger listings = new AtomicInteger();
    cluster
        .faults()
        .next(
            fakeRequest -> {
              if (fakeRequest.parameter("fieldSelector").isPresent()) {
                int _ = listings.incrementAndGet();
              }
              return false;
            },
            new RequestFault.RefuseRequest(500));
    assertThat(launcher.stop(handle, Duration.ofSeconds(2))).isEqualTo(new Probe.Unknown());
    // Before the stop, and 0.2, 0.6, 1.4, 3 and, on a slow machine, 5 s after it.
    assertThat(listings).hasValueBetween(2, 6);
  }

  /** A proxy before the API server has answers of its own. */
  @Test
  void onlyTheApiItselfSaysThatAPodIsNotThere() throws Exception {
    Launcher launcher = launcher("test");
    String handle = up(launcher, ScriptedBot.POLITE.spec(24));
    cluster.faults().next("GET", new RequestFault.RefuseRequest(404));
    assertThat(launcher.probe(handle)).isInstanceOf(Probe.Unreachable.class);
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    cluster.faults().next("DELETE", new RequestFault.RefuseRequest(404));
    assertThat(launcher.kill(handle)).isInstanceOf(Probe.Unreachable.class);
  }

  @Test
  void aNameThatAStrangerHasIsNotOurs() throws Exception {
    LaunchSpec spec = ScriptedBot.POLITE.spec(5);
    String handle = launcher("theirs").launch(spec);
    Launcher ours = launcher("ours");
    assertThatThrownBy(() -> ours.launch(spec))
        .isInstanceOf(LaunchException.class)
        .hasMessageContaining("is taken by a pod that is not this bot");
    assertThat(ours.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(ours.list()).isEmpty();
  }

  @Test
  void outOfMemoryEvictionAndALostNodeAreReported() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = exits(launcher);
    String greedy = up(launcher, ScriptedBot.POLITE.spec(6));
    cluster.outOfMemory("convoke-bot-6-1-c0ffee00");
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(greedy, "convoke-bot-6-1-c0ffee00", Optional.of(137)));
    assertThat(launcher.remains(greedy).reason()).contains(Launcher.BotExitDetails.OUT_OF_MEMORY);

    String evicted = up(launcher, ScriptedBot.POLITE.spec(7));
    cluster.evict("convoke-bot-7-1-c0ffee00");
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(launcher.remains(evicted).reason()).contains(Launcher.BotExitDetails.NODE_LOST);

    String far = up(launcher, ScriptedBot.POLITE.spec(8));
    cluster.unreachable("convoke-bot-8-1-c0ffee00", true);
    assertThat(launcher.probe(far)).isInstanceOf(Probe.Unreachable.class);
    cluster.unreachable("convoke-bot-8-1-c0ffee00", false);
    assertThat(launcher.probe(far)).isEqualTo(new Probe.Alive());
    assertThat(exits).isEmpty();
  }

  /** The kubelet lists the agent's status before the bot's, and the pod runs on with the agent. */
  @Test
  void aBotThatEndsBesideAContainerThatRunsOnIsGone() throws Exception {
    Launcher launcher = besideAnAgent();
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.POLITE.spec(16));
    cluster.outOfMemory("convoke-bot-16-1-c0ffee00");
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "convoke-bot-16-1-c0ffee00", Optional.of(137)));
    assertThat(cluster.phase("convoke-bot-16-1-c0ffee00")).isEqualTo("Running");
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.of(137)));
    assertThat(launcher.remains(handle))
        .isEqualTo(new BotExitDetails(Optional.of(BotExitDetails.OUT_OF_MEMORY), List.of("up")));
    assertThat(launcher.list()).isEmpty();
    assertThat(cluster.pods()).as("it is kept for what it printed").isEqualTo(1);
    now = now.plus(Duration.ofMinutes(2));
    assertThat(launcher.list()).isEmpty();
    assertThat(cluster.pods()).as("it does not use up quotas").isZero();

    String stopped = up(launcher, ScriptedBot.POLITE.spec(17));
    assertThat(launcher.stop(stopped, Duration.ofSeconds(10)))
        .isEqualTo(new Probe.Gone(Optional.of(3)));
    assertThat(cluster.complaints()).isEmpty();
  }

  @Test
  void aPodWhoseBotEndedIsRemovedByForceWhenItsNodeDiesAfterwards() throws Exception {
    Launcher launcher = besideAnAgent();
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.POLITE.spec(18));
    cluster.outOfMemory("convoke-bot-18-1-c0ffee00");
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    cluster.nodeDies("convoke-bot-18-1-c0ffee00", now);
    now = now.plusSeconds(150);
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(Optional.of(137)));
    assertThat(launcher.remains(handle).reason()).contains(BotExitDetails.OUT_OF_MEMORY);
    assertThat(launcher.list()).isEmpty();
    assertThat(cluster.pods()).isZero();
  }

  /** With a template that adds a container, as a mesh's proxy is added too. */
  private Launcher besideAnAgent() {
    JsonNode template =
        Json.read(
            """
            {"spec": {"containers": [{"name": "agent", "image": "agent:1", "securityContext":
              {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}]}}
            """);
    return keep(
        new KubernetesLauncher(
            new KubernetesConfig(
                cluster.url(),
                FakeKubernetes.NAMESPACE,
                () -> Optional.of(FakeKubernetes.TOKEN),
                Optional.empty(),
                "test",
                terms("test").image(),
                new BotSandbox(false, (ObjectNode) template)),
            () -> now));
  }

  @Test
  void aWatchWithAnExpiredVersionRestarts() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.POLITE.spec(9));
    cluster.shut();
    cluster.outOfMemory("convoke-bot-9-1-c0ffee00");
    Await.until("the pod to end", () -> hasEnded("convoke-bot-9-1-c0ffee00"));
    cluster.compact();
    cluster.open();
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "convoke-bot-9-1-c0ffee00", Optional.of(137)));
  }

  @Test
  void aPodDeletedFromOutsideIsReported() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = up(launcher, ScriptedBot.POLITE.spec(10));
    KubernetesApi hand = new KubernetesApi(terms("test"));
    hand.delete("convoke-bot-10-1-c0ffee00", PodRef.parse(handle).orElseThrow().uid(), 0);
    hand.close();
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(launcher.probe(handle)).isInstanceOf(Probe.Gone.class);
  }

  @Test
  void whatEndedIsKeptForAWhileAndThenRemoved() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launcher.launch(ScriptedBot.BROKEN.spec(11));
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(launcher.list()).isEmpty();
    now = now.plus(Duration.ofMinutes(14));
    assertThat(launcher.list()).isEmpty();
    assertThat(launcher.remains(handle).lastLines()).containsExactly("no door here");
    now = now.plus(Duration.ofMinutes(2));
    assertThat(launcher.list()).isEmpty();
    assertThat(cluster.pods()).isZero();
    assertThat(launcher.probe(handle)).as("remembered").isEqualTo(new Probe.Gone(Optional.of(7)));
  }

  @Test
  void aPodThatMayNotBeDeletedByForceHidesNoOther() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = exits(launcher);
    String lost = up(launcher, ScriptedBot.POLITE.spec(27));
    String handle = up(launcher, ScriptedBot.POLITE.spec(28));
    deletionsFail(1000);
    cluster.nodeDies("convoke-bot-27-1-c0ffee00", now);
    now = now.plusSeconds(150);
    assertThat(launcher.list())
        .containsExactly(new Launcher.RunningBot(handle, "convoke-bot-28-1-c0ffee00"));
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(lost, "convoke-bot-27-1-c0ffee00", Optional.empty()));

    cluster.shut();
    cluster.outOfMemory("convoke-bot-28-1-c0ffee00");
    Await.until("the pod to end", () -> hasEnded("convoke-bot-28-1-c0ffee00"));
    cluster.compact();
    cluster.open();
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .as("the watch opens again")
        .isEqualTo(new BotExit(handle, "convoke-bot-28-1-c0ffee00", Optional.of(137)));
    assertThat(cluster.pods()).isEqualTo(2);
  }

  @Test
  void whatEndedAndCannotBeDeletedIsDeletedLater() throws Exception {
    Launcher launcher = launcher("test");
    BlockingQueue<BotExit> exits = exits(launcher);
    String _ = launcher.launch(ScriptedBot.BROKEN.spec(29));
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(launcher.list()).isEmpty();
    now = now.plus(Duration.ofMinutes(16));
    deletionsFail(1);
    assertThat(launcher.list()).isEmpty();
    assertThat(launcher.list()).isEmpty();
    assertThat(cluster.pods()).as("not at each listing").isEqualTo(1);
    now = now.plus(Duration.ofMinutes(16));
    assertThat(launcher.list()).isEmpty();
    assertThat(cluster.pods()).isZero();
  }

  /** As while a webhook of the cluster is down, or where it lets no pod be deleted by force. */
  private void deletionsFail(int times) {
    for (int i = 0; i < times; i++) {
      cluster.faults().next("DELETE", new RequestFault.RefuseRequest(500));
    }
  }

  @Test
  void aNamespaceThatIsNotOursIsRefused() {
    Launcher launcher =
        keep(
            new KubernetesLauncher(
                new KubernetesConfig(
                    cluster.url(),
                    "another-namespace",
                    () -> Optional.of(FakeKubernetes.TOKEN),
                    Optional.empty(),
                    "test",
                    new BotImage(
                        "bot:1",
                        BotImage.ImagePullPolicy.NEVER,
                        Optional.empty(),
                        Optional.empty())),
                () -> now));
    assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(12)))
        .isInstanceOf(LaunchException.class)
        .hasMessageContaining("forbidden in namespace another-namespace");
  }

  /** Read directly, because the API is unreachable. */
  private boolean hasEnded(String pod) {
    return cluster.phase(pod).equals("Failed");
  }

  private static void awaitUp(Launcher launcher, String handle) {
    Await.until(handle + " to be up", () -> launcher.remains(handle).lastLines().contains("up"));
  }

  private static String up(Launcher launcher, LaunchSpec spec) throws LaunchException {
    String handle = launcher.launch(spec);
    awaitUp(launcher, handle);
    return handle;
  }

  private static BlockingQueue<BotExit> exits(Launcher launcher) {
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    return exits;
  }

  private KubernetesConfig terms(String fleet) {
    return KubernetesContractTest.terms(cluster, fleet);
  }

  private Launcher launcher(String fleet) {
    return keep(new KubernetesLauncher(terms(fleet), () -> now));
  }

  private Launcher keep(Launcher launcher) {
    launchers.add(launcher);
    return launcher;
  }
}
