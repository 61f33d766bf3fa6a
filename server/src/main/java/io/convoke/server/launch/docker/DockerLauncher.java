package io.convoke.server.launch.docker;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventActor;
import io.convoke.server.launch.BotImage.Pull;
import io.convoke.server.launch.Exits;
import io.convoke.server.launch.Following;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.docker.Container.Phase;
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

  private final DockerTerms terms;
  private final DockerEngine engine;
  private final InstantSource clock;
  private final Exits exits = new Exits();
  private final Following following = new Following("docker-events", this::follow);
  private final Map<String, Instant> idleSince = new ConcurrentHashMap<>();

  /** Connects to the engine on first use. */
  public DockerLauncher(DockerTerms terms, InstantSource clock) {
    this.terms = terms;
    this.clock = clock;
    this.engine = new DockerEngine(terms.host());
  }

  @Override
  public String launch(LaunchSpec spec) throws LaunchException {
    Optional<Container> there = engine.find(spec.containerName());
    Container bot = there.isPresent() ? ours(there.get(), spec) : create(spec);
    String handle = handle(bot.id());
    switch (bot.phase()) {
      case CREATED -> {
        start(bot);
        exits.runs(handle, bot.name());
      }
      case RUNNING -> exits.runs(handle, bot.name());
      case ENDED ->
          // An interrupted call started it and its exit went unnoticed: report it now.
          Thread.startVirtualThread(() -> exits.ended(handle, bot.name(), bot.exitCode()));
    }
    return handle;
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
  public List<Running> list() {
    List<Running> running = look();
    tidy();
    return running;
  }

  @Override
  public Remains remains(String handle) {
    Optional<Handle> bot = Handle.parse(handle);
    if (bot.isEmpty()) {
      return Remains.NONE;
    }
    try {
      Optional<Container> container = find(bot.get());
      if (container.filter(Container::killedUnexplained).isPresent()) {
        LockSupport.parkNanos(REASON_SETTLES.toNanos());
        container = find(bot.get());
      }
      return container.isEmpty()
          ? Remains.NONE
          : Remains.of(
              container.filter(Container::outOfMemory).map(_ -> Remains.OUT_OF_MEMORY),
              engine.printed(container.get().id(), Remains.LINES_MAX));
    } catch (LauncherUnavailable | DockerException e) {
      log.info("cannot read log and exit reason of bot {}: {}", handle, e.getMessage());
      return Remains.NONE;
    }
  }

  private Optional<Container> find(Handle bot) {
    return bot.machine().equals(engine.machine())
        ? engine.find(bot.containerId())
        : Optional.empty();
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
    engine.close();
  }

  /** The container under the launch's name, if it is the launch's own. */
  private Container ours(Container found, LaunchSpec spec) throws LaunchException {
    if (!Labels.of(terms.fleet(), spec).entrySet().stream()
        .allMatch(label -> label.getValue().equals(found.labels().get(label.getKey())))) {
      throw new LaunchException(
          "the name " + spec.containerName() + " is taken by a container that is not this bot");
    }
    return found;
  }

  private Container create(LaunchSpec spec) throws LaunchException {
    String image = terms.image().name();
    try {
      if (terms.image().pull() == Pull.ALWAYS) {
        pull(image);
      }
      return createOrFind(spec);
    } catch (NotFoundException e) {
      if (terms.image().pull() != Pull.MISSING) {
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
  private Container createOrFind(LaunchSpec spec) throws LaunchException {
    try {
      return created(spec, engine.create(spec, terms));
    } catch (ConflictException e) {
      Optional<Container> there = engine.find(spec.containerName());
      if (there.isPresent()) {
        return ours(there.get(), spec);
      }
      // The engine takes a name before it knows a container by it, and a copy takes its time.
      throw new LauncherUnavailable("the container is being made or removed just now", e);
    }
  }

  private static Container created(LaunchSpec spec, String id) {
    return new Container(
        id, spec.containerName(), Map.of(), Phase.CREATED, Optional.empty(), false);
  }

  private void pull(String image) throws LaunchException {
    try {
      engine.pull(image);
    } catch (DockerException e) {
      throw new LaunchException("the image " + image + " cannot be pulled: " + e.getMessage(), e);
    }
  }

  private void start(Container bot) throws LaunchException {
    try {
      engine.start(bot.id());
    } catch (DockerException e) {
      discard(bot.id());
      throw new LaunchException("the engine could not start it: " + e.getMessage(), e);
    }
  }

  /** Queries the engine about a bot of its machine; an unreachable engine is no evidence. */
  private Probe at(String text, Function<Handle, Probe> question) {
    Optional<Handle> handle = Handle.parse(text);
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

  private Probe probe(Handle handle) {
    Optional<Container> bot = engine.find(handle.containerId());
    if (bot.isEmpty()) {
      return exits
          .of(handle.toString())
          .<Probe>map(exit -> new Probe.Gone(exit.exitCode()))
          .orElseGet(Probe.Unknown::new);
    }
    return switch (bot.get().phase()) {
      case RUNNING -> {
        exits.runs(handle.toString(), bot.get().name());
        yield new Probe.Alive();
      }
      case ENDED -> new Probe.Gone(bot.get().exitCode());
      // Created but never started: there is no exit to report.
      case CREATED -> new Probe.Unknown();
    };
  }

  private Probe ending(Handle handle, Runnable deed) {
    Probe before = probe(handle);
    if (before instanceof Probe.Alive) {
      try {
        deed.run();
      } catch (NotFoundException e) {
        log.debug("bot {} was removed meanwhile", handle);
      }
      return probe(handle);
    }
    return before;
  }

  private String handle(String containerId) {
    return new Handle(engine.machine(), containerId).toString();
  }

  private void follow() throws Exception {
    Instant from = engine.time();
    try (Answers<Event> deaths = engine.deaths(Labels.FLEET, terms.fleet(), from, this::died)) {
      deaths.awaitOpen(DockerEngine.ASK_TIMEOUT);
      List<Running> _ = look();
      boolean _ = deaths.awaitEnd(STREAM_MAX);
    }
  }

  private void died(Event event) {
    EventActor actor = event.getActor();
    if (actor == null || actor.getId() == null) {
      return;
    }
    Map<String, String> told = Optional.ofNullable(actor.getAttributes()).orElse(Map.of());
    exits.ended(
        handle(actor.getId()),
        Optional.ofNullable(told.get("name")).orElse(""),
        Optional.ofNullable(told.get("exitCode")).map(Integer::valueOf));
  }

  /** Lists all containers of the fleet and reports exits that the stream missed. */
  private List<Running> look() {
    Map<String, String> expected = new HashMap<>(exits.running());
    List<Running> running = new ArrayList<>();
    Set<String> idle = new HashSet<>();
    for (var container : engine.labelled(Labels.FLEET, terms.fleet())) {
      String name = Container.bare(container.getNames()[0]);
      String handle = handle(container.getId());
      if (exits.of(handle).isPresent()) {
        // The engine's listing may lag behind its events.
        idle.add(container.getId());
      } else if (Phase.of(container.getState()) == Phase.RUNNING) {
        running.add(new Running(handle, name));
        exits.runs(handle, name);
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
    Optional<Container> bot =
        Handle.parse(handle).flatMap(known -> engine.find(known.containerId()));
    if (bot.isEmpty() || bot.get().phase() == Phase.ENDED) {
      exits.ended(handle, name, bot.flatMap(Container::exitCode));
    }
  }

  /** Removes a container that does not run; what the engine will not do now is done later. */
  private void discard(String id) {
    try {
      engine.remove(id);
    } catch (DockerException e) {
      log.info("container {} is not removed now: {}", id, e.getMessage());
    }
  }

  private void tidy() {
    Instant before = clock.instant().minus(KEPT);
    idleSince.forEach(
        (id, since) -> {
          if (since.isBefore(before)) {
            discard(id);
          }
        });
  }
}
