package io.convoke.server.launch.docker;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventActor;
import io.convoke.server.launch.BotImage.ImagePullPolicy;
import io.convoke.server.launch.ExitTracker;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.StreamFollower;
import io.convoke.server.launch.docker.DockerContainer.ContainerPhase;
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
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each bot in a container of one Docker engine. Two calls make a bot, create and start; the
 * name and the labels make both safe to repeat. A container that ended is kept for a while, so that
 * its exit code and its last lines can be read, and then removed.
 */
public final class DockerLauncher implements Launcher {
  private static final Logger log = LoggerFactory.getLogger(DockerLauncher.class);
  private static final Duration KILL_WAIT = Duration.ofSeconds(10);

  /** How long a container that does not run is kept, counted from when we first saw it so. */
  private static final Duration KEPT = Duration.ofMinutes(15);

  /** A stream is opened anew now and then even if nothing seems to be wrong with it. */
  private static final Duration STREAM_MAX = Duration.ofMinutes(10);

  /**
   * The engine may report an exit before its reason: a bot out of memory was once reported as
   * killed only.
   */
  private static final Duration REASON_SETTLES = Duration.ofMillis(300);

  private final DockerConfig terms;
  private final DockerEngine engine;
  private final InstantSource clock;
  private final ExitTracker exitTracker = new ExitTracker();
  private final StreamFollower streamFollower = new StreamFollower("docker-events", this::follow);
  private final Map<String, Instant> idleSince = new ConcurrentHashMap<>();

  /** Connects to the engine on first use. */
  public DockerLauncher(DockerConfig terms, InstantSource clock) {
    this.terms = terms;
    this.clock = clock;
    this.engine = new DockerEngine(terms.host());
  }

  @Override
  public String launch(LaunchSpec spec) throws LaunchException {
    Optional<DockerContainer> there = engine.find(spec.containerName());
    DockerContainer bot = there.isPresent() ? ours(there.get(), spec) : create(spec);
    String handle = handle(bot.id());
    switch (bot.phase()) {
      case CREATED -> {
        start(bot);
        exitTracker.runs(handle, bot.name());
      }
      case RUNNING -> exitTracker.runs(handle, bot.name());
      case ENDED ->
          // An interrupted call started it and its exit went unnoticed: report it now.
          Thread.startVirtualThread(() -> exitTracker.ended(handle, bot.name(), bot.exitCode()));
    }
    return handle;
  }

  /** By the container's id alone, which no other has: a machine may be given another name. */
  @Override
  public boolean sameBot(String other, String handle) {
    Optional<String> id = ContainerRef.parse(handle).map(ContainerRef::containerId);
    return id.isPresent() && id.equals(ContainerRef.parse(other).map(ContainerRef::containerId));
  }

  @Override
  public Probe probe(String handle) {
    return at(handle, this::probe);
  }

  @Override
  public Probe stop(String handle, Duration grace) {
    Duration within = grace.compareTo(DockerEngine.GRACE_MAX) < 0 ? grace : DockerEngine.GRACE_MAX;
    return at(handle, bot -> ending(bot, () -> engine.stop(bot.containerId(), within)));
  }

  @Override
  public Probe kill(String handle) {
    return at(handle, bot -> ending(bot, () -> engine.kill(bot.containerId(), KILL_WAIT)));
  }

  @Override
  public List<RunningBot> list() {
    List<RunningBot> running = look();
    tidy();
    return running;
  }

  @Override
  public BotExitDetails remains(String handle) {
    Optional<ContainerRef> bot = ContainerRef.parse(handle);
    if (bot.isEmpty()) {
      return BotExitDetails.NONE;
    }
    try {
      Optional<DockerContainer> container = find(bot.get());
      if (container.filter(DockerContainer::killedUnexplained).isPresent()) {
        LockSupport.parkNanos(REASON_SETTLES.toNanos());
        container = find(bot.get());
      }
      return container.isEmpty()
          ? BotExitDetails.NONE
          : BotExitDetails.of(
              container.filter(DockerContainer::outOfMemory).map(_ -> BotExitDetails.OUT_OF_MEMORY),
              engine.printed(container.get().id(), BotExitDetails.LINES_MAX));
    } catch (LauncherUnavailable | DockerException e) {
      log.info("cannot read log and exit reason of bot {}: {}", handle, e.getMessage());
      return BotExitDetails.NONE;
    }
  }

  @Override
  public List<String> templateValues() {
    return ContainerRequests.values(terms.sandbox().template());
  }

  private Optional<DockerContainer> find(ContainerRef bot) {
    return bot.machine().equals(engine.machine())
        ? engine.find(bot.containerId())
        : Optional.empty();
  }

  @Override
  public void onExit(Consumer<BotExit> listener) {
    exitTracker.listen(listener);
    streamFollower.start();
  }

  @Override
  public void close() {
    exitTracker.removeListeners();
    streamFollower.close();
    engine.close();
  }

  /** The container under the launch's name, if it is the launch's own. */
  private DockerContainer ours(DockerContainer found, LaunchSpec spec) throws LaunchException {
    if (!ContainerLabels.of(terms.fleet(), spec).entrySet().stream()
        .allMatch(label -> label.getValue().equals(found.labels().get(label.getKey())))) {
      throw new LaunchException(
          "the name " + spec.containerName() + " is taken by a container that is not this bot");
    }
    return found;
  }

  private DockerContainer create(LaunchSpec spec) throws LaunchException {
    String image = terms.image().name();
    try {
      if (terms.image().pull() == ImagePullPolicy.ALWAYS) {
        pull(image);
      }
      return createOrFind(spec);
    } catch (NotFoundException e) {
      if (terms.image().pull() != ImagePullPolicy.MISSING) {
        throw new LaunchException("the image " + image + " is not on this machine", e);
      }
    } catch (DockerException e) {
      throw new LaunchException("the engine refused the container: " + e.getMessage(), e);
    }
    pull(image);
    try {
      return createOrFind(spec);
    } catch (DockerException e) {
      throw new LaunchException("the engine refused the container: " + e.getMessage(), e);
    }
  }

  /** Another node, or an earlier call whose answer was lost, may have created it. */
  private DockerContainer createOrFind(LaunchSpec spec) throws LaunchException {
    try {
      return created(spec, engine.create(spec, terms));
    } catch (ConflictException e) {
      Optional<DockerContainer> there = engine.find(spec.containerName());
      if (there.isPresent()) {
        return ours(there.get(), spec);
      }
      // The engine takes a name before it knows a container by it, and a copy takes its time.
      throw new LauncherUnavailable("the container is being created or removed", e);
    }
  }

  private static DockerContainer created(LaunchSpec spec, String id) {
    return new DockerContainer(
        id, spec.containerName(), Map.of(), ContainerPhase.CREATED, Optional.empty(), false);
  }

  private void pull(String image) throws LaunchException {
    try {
      engine.pull(image);
    } catch (DockerException e) {
      throw new LaunchException("the image " + image + " cannot be pulled: " + e.getMessage(), e);
    }
  }

  private void start(DockerContainer bot) throws LaunchException {
    try {
      engine.start(bot.id());
    } catch (DockerException e) {
      discard(bot.id());
      throw new LaunchException("the engine could not start it: " + e.getMessage(), e);
    }
  }

  /** Queries the engine about a bot of its machine; an unreachable engine is no evidence. */
  private Probe at(String text, Function<ContainerRef, Probe> question) {
    Optional<ContainerRef> handle = ContainerRef.parse(text);
    if (handle.isEmpty()) {
      return new Probe.Unknown();
    }
    try {
      String machine = engine.machine();
      return handle.get().machine().equals(machine)
          ? question.apply(handle.get())
          : new Probe.Unreachable("it runs on " + handle.get().machine());
    } catch (LauncherUnavailable e) {
      return new Probe.Unreachable(String.valueOf(e.getMessage()));
    } catch (DockerException e) {
      return new Probe.Unreachable("the engine failed: " + e.getMessage());
    }
  }

  private Probe probe(ContainerRef containerRef) {
    Optional<DockerContainer> bot = engine.find(containerRef.containerId());
    if (bot.isEmpty()) {
      return exitTracker
          .of(containerRef.toString())
          .<Probe>map(botExit -> new Probe.Gone(botExit.exitCode()))
          .orElseGet(Probe.Unknown::new);
    }
    return switch (bot.get().phase()) {
      case RUNNING -> {
        exitTracker.runs(containerRef.toString(), bot.get().name());
        yield new Probe.Alive();
      }
      case ENDED -> new Probe.Gone(bot.get().exitCode());
      // Created but never started: there is no exit to report.
      case CREATED -> new Probe.Unknown();
    };
  }

  private Probe ending(ContainerRef containerRef, Runnable deed) {
    Probe before = probe(containerRef);
    if (before instanceof Probe.Alive) {
      try {
        deed.run();
      } catch (NotFoundException e) {
        log.debug("bot {} was removed meanwhile", containerRef);
      }
      return probe(containerRef);
    }
    return before;
  }

  private String handle(String containerId) {
    return new ContainerRef(engine.machine(), containerId).toString();
  }

  private void follow() throws Exception {
    Instant from = engine.time();
    try (StreamedDockerResponse<Event> deaths =
        engine.deaths(ContainerLabels.FLEET, terms.fleet(), from, this::died)) {
      deaths.awaitOpen(DockerEngine.ASK_TIMEOUT);
      List<RunningBot> _ = look();
      boolean _ = deaths.awaitEnd(STREAM_MAX);
    }
  }

  private void died(Event event) {
    EventActor actor = event.getActor();
    if (actor == null || actor.getId() == null) {
      return;
    }
    Map<String, String> attributes = Optional.ofNullable(actor.getAttributes()).orElse(Map.of());
    exitTracker.ended(
        handle(actor.getId()),
        Optional.ofNullable(attributes.get("name")).orElse(""),
        Optional.ofNullable(attributes.get("exitCode")).map(Integer::valueOf));
  }

  /** Lists all containers of the fleet and reports exits that the stream missed. */
  private List<RunningBot> look() {
    Map<String, String> expected = new HashMap<>(exitTracker.running());
    List<RunningBot> running = new ArrayList<>();
    Set<String> idle = new HashSet<>();
    for (var container : engine.labelled(ContainerLabels.FLEET, terms.fleet())) {
      String name = DockerContainer.bare(container.getNames()[0]);
      String handle = handle(container.getId());
      if (exitTracker.of(handle).isPresent()) {
        // The engine's listing may lag behind its events.
        idle.add(container.getId());
      } else if (ContainerPhase.of(container.getState()) == ContainerPhase.RUNNING) {
        running.add(new RunningBot(handle, name));
        exitTracker.runs(handle, name);
        expected.remove(handle);
      } else {
        idle.add(container.getId());
      }
    }
    expected.forEach(this::settle);
    idleSince.keySet().retainAll(idle);
    idle.forEach(id -> idleSince.putIfAbsent(id, clock.instant()));
    return running;
  }

  /**
   * Reports the exit of a bot that a listing does not show as running, if the engine confirms it.
   */
  private void settle(String handle, String name) {
    Optional<DockerContainer> bot =
        ContainerRef.parse(handle).flatMap(known -> engine.find(known.containerId()));
    if (bot.isEmpty() || bot.get().phase() == ContainerPhase.ENDED) {
      exitTracker.ended(handle, name, bot.flatMap(DockerContainer::exitCode));
    }
  }

  /** Removes a container that does not run; a failed removal is retried later. */
  private void discard(String id) {
    try {
      engine.remove(id);
    } catch (DockerException e) {
      log.info("container {} not removed; retrying later: {}", id, e.getMessage());
    }
  }

  /**
   * Removes what was kept long enough. A container that the engine does not remove in time is tried
   * again after as long, and the others at the next listing: sweeps wait for this one.
   */
  private void tidy() {
    Instant now = clock.instant();
    Instant before = now.minus(KEPT);
    for (Map.Entry<String, Instant> idle : idleSince.entrySet()) {
      if (idle.getValue().isBefore(before)) {
        try {
          discard(idle.getKey());
        } catch (LauncherUnavailable e) {
          log.warn("container {} not removed now: {}", idle.getKey(), e.getMessage());
          var _ = idleSince.replace(idle.getKey(), now);
          return;
        }
      }
    }
  }
}
