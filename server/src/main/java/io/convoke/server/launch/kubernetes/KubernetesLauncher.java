package io.convoke.server.launch.kubernetes;

import io.convoke.server.launch.Exits;
import io.convoke.server.launch.Following;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.kubernetes.Pod.Phase;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Runs each bot as a pod. The pod comes first and its secret after it, owned by it: the container
 * cannot start before the secret is there, and the secret cannot outlive the pod. A deleted pod's
 * exit code is gone from the API, so this object remembers what it saw.
 */
public final class KubernetesLauncher implements Launcher {
  private static final String LABELS = "labelSelector";
  private static final String FIELDS = "fieldSelector";

  /** Not zero: that would remove the pod before its end is confirmed. */
  private static final long KILL_SECONDS = 1;

  /** What a kubelet may take beyond a grace. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private static final Duration WATCH_MAX = Duration.ofMinutes(5);

  /** How long a pod that ended by itself is kept, counted from when we first saw it so. */
  private static final Duration KEPT = Duration.ofMinutes(15);

  private final KubernetesTerms terms;
  private final KubernetesApi api;
  private final InstantSource clock;
  private final Exits exits = new Exits();
  private final Following following = new Following("kubernetes-pods", this::follow);
  private final Map<String, Instant> endedSince = new ConcurrentHashMap<>();

  /** Connects to the API server on first use. */
  public KubernetesLauncher(KubernetesTerms terms, InstantSource clock) {
    this.terms = terms;
    this.clock = clock;
    this.api = new KubernetesApi(terms);
  }

  @Override
  public String launch(LaunchSpec spec) throws LaunchException {
    Optional<Pod> created = api.create(spec);
    Pod pod = created.isPresent() ? created.get() : ours(spec);
    if (pod.phase() == Phase.ENDED) {
      // An interrupted call started it and its exit went unnoticed: report it now.
      Thread.startVirtualThread(() -> ended(pod));
    } else {
      try {
        api.createSecret(spec, pod);
      } catch (LaunchException e) {
        api.delete(pod.name(), pod.uid(), KILL_SECONDS);
        throw e;
      }
      exits.runs(handle(pod), pod.name());
    }
    return handle(pod);
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
  public List<Running> list() {
    List<Running> running = look(api.list(LABELS, fleet()));
    tidy();
    return running;
  }

  @Override
  public Remains remains(String handle) {
    try {
      Optional<Pod> pod = Handle.parse(handle).flatMap(this::find);
      return pod.isEmpty()
          ? Remains.NONE
          : Remains.of(pod.get().reason(), api.printed(pod.get().name(), Remains.LINES_MAX));
    } catch (LauncherUnavailable e) {
      return Remains.NONE;
    }
  }

  @Override
  public void onExit(Consumer<Exit> listener) {
    exits.listen(listener);
    following.start();
  }

  @Override
  public void close() {
    exits.deafen();
    following.close();
    api.close();
  }

  /** The pod under the launch's name, if it is the launch's own. */
  private Pod ours(LaunchSpec spec) throws LaunchException {
    Pod found =
        api.find(spec.containerName())
            .orElseThrow(() -> new LauncherUnavailable("a pod of that name is just being removed"));
    if (!found.labels().entrySet().containsAll(Manifests.labels(terms.fleet(), spec).entrySet())) {
      throw new LaunchException(
          "the name " + spec.containerName() + " is taken by a pod that is not this bot");
    }
    return found;
  }

  private Probe at(String text, Function<Handle, Probe> question) {
    Optional<Handle> handle = Handle.parse(text);
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

  private Optional<Pod> find(Handle bot) {
    return api.find(bot.name()).filter(pod -> pod.uid().equals(bot.uid()));
  }

  private Probe probe(Handle bot) {
    Optional<Pod> pod = find(bot);
    if (pod.isEmpty()) {
      return exits
          .of(bot.toString())
          .<Probe>map(exit -> new Probe.Gone(exit.exitCode()))
          .orElseGet(Probe.Unknown::new);
    }
    return switch (pod.get().phase()) {
      case LIVE -> new Probe.Alive();
      case ENDED -> new Probe.Gone(pod.get().exitCode());
      case UNKNOWN -> new Probe.Unreachable("its node does not report");
    };
  }

  private Probe end(Handle bot, long graceSeconds) {
    Probe before = probe(bot);
    if (!(before instanceof Probe.Alive)) {
      return before;
    }
    KubernetesApi.Listing now = api.list(FIELDS, "metadata.name=" + bot.name());
    api.delete(bot.name(), bot.uid(), graceSeconds);
    awaitEnd(bot, now.version(), Duration.ofSeconds(graceSeconds).plus(MARGIN));
    return probe(bot);
  }

  /** Watches one pod until it has ended; what its end was is noted on the way. */
  private void awaitEnd(Handle bot, String version, Duration atMost) {
    api.watch(
        FIELDS,
        "metadata.name=" + bot.name(),
        version,
        atMost,
        (pod, deleted) -> {
          boolean over = pod.uid().equals(bot.uid()) && (deleted || pod.phase() == Phase.ENDED);
          if (over) {
            ended(pod);
          }
          return !over;
        });
  }

  private void follow() {
    KubernetesApi.Listing listing = api.list(LABELS, fleet());
    List<Running> _ = look(listing);
    api.watch(
        LABELS,
        fleet(),
        listing.version(),
        WATCH_MAX,
        (pod, deleted) -> {
          if (deleted || pod.phase() == Phase.ENDED) {
            ended(pod);
          } else {
            exits.runs(handle(pod), pod.name());
          }
          return true;
        });
  }

  private void ended(Pod pod) {
    exits.ended(handle(pod), pod.name(), pod.exitCode());
  }

  /** The running pods of this installation; reports exits that the watch missed. */
  private List<Running> look(KubernetesApi.Listing listing) {
    Map<String, String> expected = new HashMap<>(exits.running());
    List<Running> running = new ArrayList<>();
    Set<String> over = new HashSet<>();
    for (Pod pod : listing.pods()) {
      String handle = handle(pod);
      if (pod.phase() == Phase.ENDED) {
        over.add(handle);
        if (expected.remove(handle) != null) {
          ended(pod);
        }
      } else if (exits.of(handle).isEmpty()) {
        running.add(new Running(handle, pod.name()));
        exits.runs(handle, pod.name());
        expected.remove(handle);
      }
    }
    // A pod launched after the listing was made is not missing: only the API itself can say so.
    expected.forEach(
        (handle, name) -> {
          switch (probe(handle)) {
            case Probe.Gone(var exitCode) -> exits.ended(handle, name, exitCode);
            case Probe.Unknown _ -> exits.ended(handle, name, Optional.empty());
            case Probe.Alive _, Probe.Unreachable _ -> {}
          }
        });
    endedSince.keySet().retainAll(over);
    over.forEach(handle -> endedSince.putIfAbsent(handle, clock.instant()));
    return running;
  }

  private void tidy() {
    Instant before = clock.instant().minus(KEPT);
    endedSince.forEach(
        (handle, since) -> {
          if (since.isBefore(before)) {
            Handle.parse(handle).ifPresent(pod -> api.delete(pod.name(), pod.uid(), KILL_SECONDS));
          }
        });
  }

  private String handle(Pod pod) {
    return new Handle(terms.namespace(), pod.name(), pod.uid()).toString();
  }

  private String fleet() {
    return Manifests.FLEET + "=" + terms.fleet();
  }
}
