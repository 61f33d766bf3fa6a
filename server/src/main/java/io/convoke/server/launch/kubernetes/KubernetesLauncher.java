package io.convoke.server.launch.kubernetes;

import io.convoke.server.launch.ExitTracker;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.StreamFollower;
import io.convoke.server.launch.kubernetes.KubernetesPod.PodPhase;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each bot as a pod. The pod comes first and its secret after it, owned by it: the container
 * cannot start before the secret is there, and the secret cannot outlive the pod. A deleted pod's
 * exit code and reason are gone from the API, so this object remembers what it saw.
 */
public final class KubernetesLauncher implements Launcher {
  private static final Logger log = LoggerFactory.getLogger(KubernetesLauncher.class);
  private static final String LABELS = "labelSelector";
  private static final String FIELDS = "fieldSelector";

  /** Not zero: that would remove the pod before its end is confirmed. */
  private static final long KILL_SECONDS = 1;

  /** What a kubelet may take beyond a grace. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  /**
   * How long after its time to end a pod counts as lost with its node. A kubelet confirms an end
   * within seconds; the control plane gives a node that is silent five minutes before it deletes
   * its pods.
   */
  private static final Duration LOST_AFTER = Duration.ofMinutes(2);

  private static final Duration WATCH_MAX = Duration.ofMinutes(5);

  /** Before a watch that ended early is opened again; doubled each time. */
  private static final Duration REOPEN_PAUSE = Duration.ofMillis(200);

  /** The longest of these pauses: without the right to watch, a stop lists instead. */
  private static final Duration REOPEN_PAUSE_MAX = Duration.ofSeconds(2);

  /** How long a pod that ended by itself is kept, counted from when we first saw it so. */
  private static final Duration KEPT = Duration.ofMinutes(15);

  /** The same while containers beside its bot run on: it counts against quotas. */
  private static final Duration KEPT_RUNNING = Duration.ofMinutes(1);

  /** How long a pod that could not be deleted by force is left alone, so that others get a turn. */
  private static final Duration REFUSED_FOR = Duration.ofMinutes(1);

  /** What these containers may take to end. */
  private static final long OTHERS_SECONDS = 10;

  private final KubernetesConfig terms;
  private final KubernetesApi api;
  private final InstantSource clock;
  private final ExitTracker exitTracker = new ExitTracker();
  private final PodRemarks podRemarks = new PodRemarks();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final StreamFollower streamFollower = new StreamFollower("kubernetes-pods", this::follow);
  private final Map<String, Instant> endedSince = new ConcurrentHashMap<>();

  private final Map<String, RefusedDeletion> refusedDeletions = new ConcurrentHashMap<>();

  /** Why a pod could not be deleted, and when that was. */
  private record RefusedDeletion(String why, Instant at) {}

  /** Connects to the API server on first use. */
  public KubernetesLauncher(KubernetesConfig terms, InstantSource clock) {
    this.terms = terms;
    this.clock = clock;
    this.api = new KubernetesApi(terms);
  }

  @Override
  public String launch(LaunchSpec spec) throws LaunchException {
    Optional<KubernetesPod> created = api.create(spec);
    KubernetesPod kubernetesPod = created.isPresent() ? created.get() : ours(spec);
    if (kubernetesPod.phase() == PodPhase.ENDED) {
      // An interrupted call started it and its exit went unnoticed: report it now.
      Thread.startVirtualThread(() -> ended(kubernetesPod));
    } else {
      try {
        secret(spec, kubernetesPod);
      } catch (LaunchException e) {
        api.delete(kubernetesPod.name(), kubernetesPod.uid(), KILL_SECONDS);
        throw e;
      }
      exitTracker.runs(handle(kubernetesPod), kubernetesPod.name());
    }
    return handle(kubernetesPod);
  }

  /** A pod without its secret never starts, so an answer that is lost is asked for again. */
  private void secret(LaunchSpec spec, KubernetesPod pod) throws LaunchException {
    try {
      api.createSecret(spec, pod);
    } catch (LauncherUnavailable once) {
      api.createSecret(spec, pod);
    }
  }

  @Override
  public Probe probe(String handle) {
    return at(handle, this::probe);
  }

  @Override
  public Probe stop(String handle, Duration grace) {
    long seconds = Math.max(KILL_SECONDS, (grace.toMillis() + 999) / 1000);
    return at(handle, bot -> end(bot, seconds));
  }

  @Override
  public Probe kill(String handle) {
    return at(handle, bot -> end(bot, KILL_SECONDS));
  }

  @Override
  public List<RunningBot> list() {
    KubernetesApi.PodListing podListing = api.list(LABELS, fleet());
    List<RunningBot> running = look(podListing);
    tidy(podListing.pods());
    return running;
  }

  @Override
  public BotExitDetails remains(String handle) {
    String printed = "";
    try {
      Optional<KubernetesPod> pod = PodRef.parse(handle).flatMap(this::find);
      if (pod.isPresent()) {
        note(pod.get());
        printed = api.printed(pod.get().name(), BotExitDetails.LINES_MAX);
      }
    } catch (LauncherUnavailable e) {
      return podRemarks.of(handle);
    }
    return printed.isEmpty()
        ? podRemarks.of(handle)
        : BotExitDetails.of(podRemarks.of(handle).reason(), printed);
  }

  @Override
  public List<String> templateValues() {
    return PodManifests.values(terms.sandbox().template());
  }

  @Override
  public void onExit(Consumer<BotExit> listener) {
    exitTracker.listen(listener);
    streamFollower.start();
  }

  @Override
  public void close() {
    closing.countDown();
    exitTracker.removeListeners();
    streamFollower.close();
    api.close();
  }

  /** The pod under the launch's name, if it is the launch's own. */
  private KubernetesPod ours(LaunchSpec spec) throws LaunchException {
    KubernetesPod found =
        api.find(spec.containerName())
            .orElseThrow(() -> new LauncherUnavailable("a pod of that name is just being removed"));
    if (!found
        .labels()
        .entrySet()
        .containsAll(PodManifests.labels(terms.fleet(), spec).entrySet())) {
      throw new LaunchException(
          "the name " + spec.containerName() + " is taken by a pod that is not this bot");
    }
    return found;
  }

  private Probe at(String text, Function<PodRef, Probe> question) {
    Optional<PodRef> handle = PodRef.parse(text);
    if (handle.isEmpty()) {
      return new Probe.Unknown();
    }
    if (!handle.get().namespace().equals(terms.namespace())) {
      return new Probe.Unreachable("it runs in the namespace " + handle.get().namespace());
    }
    try {
      return question.apply(handle.get());
    } catch (LauncherUnavailable e) {
      return new Probe.Unreachable(String.valueOf(e.getMessage()));
    }
  }

  private Optional<KubernetesPod> find(PodRef bot) {
    return api.find(bot.name()).filter(kubernetesPod -> kubernetesPod.uid().equals(bot.uid()));
  }

  private Probe probe(PodRef bot) {
    Optional<KubernetesPod> pod = find(bot);
    if (pod.isEmpty()) {
      return exitTracker
          .of(bot.toString())
          .<Probe>map(botExit -> new Probe.Gone(botExit.exitCode()))
          .orElseGet(Probe.Unknown::new);
    }
    if (pod.get().lost(clock.instant(), LOST_AFTER)) {
      return new Probe.Gone(Optional.empty());
    }
    if (pod.get().lost(clock.instant(), MARGIN)) {
      return new Probe.Unreachable("its node does not confirm its end");
    }
    return switch (pod.get().phase()) {
      case PENDING, LIVE -> new Probe.Alive();
      case ENDED -> new Probe.Gone(pod.get().exitCode());
      case UNKNOWN -> new Probe.Unreachable("its node does not report");
    };
  }

  private Probe end(PodRef bot, long graceSeconds) {
    Probe before = probe(bot);
    if (!(before instanceof Probe.Alive)) {
      return before;
    }
    KubernetesApi.PodListing now = named(bot);
    now.pods().forEach(this::note);
    api.delete(bot.name(), bot.uid(), graceSeconds);
    awaitEnd(bot, now.version(), Duration.ofSeconds(graceSeconds).plus(MARGIN));
    return probe(bot);
  }

  /**
   * Watches one pod until it has ended; its exit is recorded. A server that restarts, or a proxy
   * before it, ends watches early: that says nothing about the pod.
   */
  private void awaitEnd(PodRef bot, String version, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    String since = version;
    Duration left = atMost;
    Duration pause = REOPEN_PAUSE;
    while (left.isPositive() && !seenEnding(bot, since, left) && !closed(pause)) {
      KubernetesApi.PodListing now = named(bot);
      Optional<KubernetesPod> pod =
          now.pods().stream().filter(it -> it.uid().equals(bot.uid())).findFirst();
      if (pod.isEmpty()) {
        return;
      }
      if (pod.get().phase() == PodPhase.ENDED) {
        ended(pod.get());
        return;
      }
      since = now.version();
      pause = Collections.min(List.of(pause.multipliedBy(2), REOPEN_PAUSE_MAX));
      left = Duration.ofNanos(deadline - System.nanoTime());
    }
  }

  /** Whether a watch saw the end of a pod before it was over itself. */
  private boolean seenEnding(PodRef bot, String version, Duration atMost) {
    AtomicBoolean seen = new AtomicBoolean();
    try {
      api.watch(
          FIELDS,
          "metadata.name=" + bot.name(),
          version,
          atMost,
          (kubernetesPod, deleted) -> {
            boolean over =
                kubernetesPod.uid().equals(bot.uid())
                    && (deleted || kubernetesPod.phase() == PodPhase.ENDED);
            if (over) {
              ended(kubernetesPod);
              seen.set(true);
            }
            return !over;
          });
    } catch (LauncherUnavailable e) {
      return false; // The next request tells whether the server is away.
    }
    return seen.get();
  }

  /** Waits before a watch is opened again; true once this launcher is closed. */
  private boolean closed(Duration pause) {
    try {
      return closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private KubernetesApi.PodListing named(PodRef bot) {
    return api.list(FIELDS, "metadata.name=" + bot.name());
  }

  private void follow() {
    KubernetesApi.PodListing podListing = api.list(LABELS, fleet());
    List<RunningBot> _ = look(podListing);
    api.watch(
        LABELS,
        fleet(),
        podListing.version(),
        WATCH_MAX,
        (kubernetesPod, deleted) -> {
          if (deleted || kubernetesPod.phase() == PodPhase.ENDED) {
            ended(kubernetesPod);
          } else {
            note(kubernetesPod);
            exitTracker.runs(handle(kubernetesPod), kubernetesPod.name());
          }
          return true;
        });
  }

  private void ended(KubernetesPod kubernetesPod) {
    note(kubernetesPod);
    exitTracker.ended(handle(kubernetesPod), kubernetesPod.name(), kubernetesPod.exitCode());
  }

  private void note(KubernetesPod pod) {
    podRemarks.note(
        handle(pod),
        pod,
        pod.lost(clock.instant(), LOST_AFTER)
            ? Optional.of(BotExitDetails.NODE_LOST)
            : pod.reason());
  }

  /** The running pods of this installation; reports exits that the watch missed. */
  private List<RunningBot> look(KubernetesApi.PodListing podListing) {
    Map<String, String> expected = new HashMap<>(exitTracker.running());
    List<RunningBot> running = new ArrayList<>();
    Set<String> over = new HashSet<>();
    boolean deletable = true;
    for (KubernetesPod kubernetesPod : podListing.pods()) {
      String handle = handle(kubernetesPod);
      note(kubernetesPod);
      boolean overdue = kubernetesPod.overdue(clock.instant(), LOST_AFTER);
      if (kubernetesPod.phase() == PodPhase.ENDED || overdue) {
        over.add(handle);
        if (overdue && deletable && !refusedJustNow(handle)) {
          // Its node cannot confirm the end, so the API server forgets it: the bot hears 410.
          // After a failure the others wait for the next listing: each may take its timeout.
          deletable = remove(kubernetesPod, 0);
        }
        if (expected.remove(handle) != null) {
          ended(kubernetesPod);
        }
      } else if (exitTracker.of(handle).isEmpty()) {
        running.add(
            new RunningBot(
                handle, kubernetesPod.name(), kubernetesPod.phase() == PodPhase.PENDING));
        exitTracker.runs(handle, kubernetesPod.name());
        expected.remove(handle);
      }
    }
    // A pod launched after the listing was made is not missing: only the API itself can say so.
    expected.forEach(
        (handle, name) -> {
          switch (probe(handle)) {
            case Probe.Gone(var exitCode) -> exitTracker.ended(handle, name, exitCode);
            case Probe.Unknown _ -> exitTracker.ended(handle, name, Optional.empty());
            case Probe.Alive _, Probe.Unreachable _ -> {}
          }
        });
    refusedDeletions.keySet().retainAll(over);
    endedSince.keySet().retainAll(over);
    over.forEach(handle -> endedSince.putIfAbsent(handle, clock.instant()));
    return running;
  }

  /** One that cannot be deleted waits as long again, and the others for the next listing. */
  private void tidy(List<KubernetesPod> pods) {
    Instant now = clock.instant();
    for (KubernetesPod pod : pods) {
      Duration kept = pod.runsOn() ? KEPT_RUNNING : KEPT;
      Optional<Instant> since = Optional.ofNullable(endedSince.get(handle(pod)));
      if (since.filter(ended -> ended.plus(kept).isBefore(now)).isPresent()
          && !remove(pod, pod.runsOn() ? OTHERS_SECONDS : KILL_SECONDS)) {
        var _ = endedSince.replace(handle(pod), now);
        return;
      }
    }
  }

  /**
   * Deletes a pod; false if that failed, which says nothing about the other pods. A refusal, as by
   * a webhook of the cluster that is down, is met again and again, and logged when it changes.
   */
  private boolean remove(KubernetesPod pod, long graceSeconds) {
    try {
      api.delete(pod.name(), pod.uid(), graceSeconds);
      return true;
    } catch (LauncherUnavailable e) {
      String why = String.valueOf(e.getMessage());
      Optional<RefusedDeletion> before =
          Optional.ofNullable(
              refusedDeletions.put(handle(pod), new RefusedDeletion(why, clock.instant())));
      if (before.filter(refused -> refused.why().equals(why)).isEmpty()) {
        log.warn("the pod {} cannot be deleted now: {}", pod.name(), why);
      }
      return false;
    }
  }

  private boolean refusedJustNow(String handle) {
    Instant since = clock.instant().minus(REFUSED_FOR);
    return Optional.ofNullable(refusedDeletions.get(handle))
        .filter(refused -> refused.at().isAfter(since))
        .isPresent();
  }

  private String handle(KubernetesPod kubernetesPod) {
    return new PodRef(terms.namespace(), kubernetesPod.name(), kubernetesPod.uid()).toString();
  }

  private String fleet() {
    return PodManifests.FLEET + "=" + terms.fleet();
  }
}
