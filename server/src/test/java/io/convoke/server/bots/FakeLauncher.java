package io.convoke.server.bots;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A launcher without processes, which fails or does not answer on demand. */
final class FakeLauncher implements Launcher {
  final Map<String, LaunchSpec> alive = new ConcurrentHashMap<>();
  final List<String> launches = new CopyOnWriteArrayList<>();
  final List<String> stops = new CopyOnWriteArrayList<>();
  final TestSignal<LaunchSpec> launched = new TestSignal<>();

  /** Bots whose state cannot be queried. */
  final Set<String> lost = ConcurrentHashMap.newKeySet();

  /** Bots whose probe throws, which no launcher should. */
  final Set<String> failingProbes = ConcurrentHashMap.newKeySet();

  /** Bots whose launch lacks a part. */
  final Set<String> unfinished = ConcurrentHashMap.newKeySet();

  volatile boolean failing;
  volatile boolean unreachable;

  /** Nothing ends a bot. */
  volatile boolean surviving;

  /** Launches and listings fail, too. */
  volatile boolean away;

  /** Launches fail; listings do not. */
  volatile boolean noLaunches;

  /** What a launch does before it makes its bot, or fails. */
  volatile Runnable beforeLaunch = () -> {};

  /** The bot's reaction between a stop signal and its end. */
  volatile Consumer<LaunchSpec> lastDeed = _ -> {};

  /** The remains of every bot. */
  volatile BotExitDetails remains = BotExitDetails.NONE;

  /** What a template puts into the environment of every bot. */
  volatile List<String> templateValues = List.of();

  private final String prefix;
  private final List<Consumer<BotExit>> listeners = new CopyOnWriteArrayList<>();

  FakeLauncher() {
    this("fake:");
  }

  /** An engine that knows only the bots whose handles begin so. */
  FakeLauncher(String prefix) {
    this.prefix = prefix;
  }

  @Override
  public String launch(LaunchSpec spec) throws LaunchException {
    beforeLaunch.run();
    if (away || noLaunches) {
      throw new LauncherUnavailable("the fake is away");
    }
    if (failing) {
      throw new LaunchException("no room on this machine");
    }
    if (alive.putIfAbsent(spec.containerName(), spec) == null) {
      launches.add(spec.containerName());
    }
    launched.emit(spec);
    return prefix + spec.containerName();
  }

  @Override
  public Probe probe(String handle) {
    if (failingProbes.contains(handle)) {
      throw new IllegalStateException("the fake fails");
    }
    if (unreachable || isOfAnother(handle) || lost.contains(name(handle))) {
      return new Probe.Unreachable("the fake is away");
    }
    return alive.containsKey(name(handle)) ? new Probe.Alive() : new Probe.Gone(Optional.empty());
  }

  @Override
  public Probe stop(String handle, Duration grace) {
    if (unreachable || isOfAnother(handle)) {
      return new Probe.Unreachable("the fake is away");
    }
    stops.add(name(handle));
    if (surviving) {
      return new Probe.Alive();
    }
    Optional.ofNullable(alive.get(name(handle))).ifPresent(lastDeed);
    LaunchSpec _ = alive.remove(name(handle));
    return new Probe.Gone(Optional.of(137));
  }

  @Override
  public Probe kill(String handle) {
    return stop(handle, Duration.ZERO);
  }

  @Override
  public List<RunningBot> list() {
    if (away) {
      throw new LauncherUnavailable("the fake is away");
    }
    return alive.keySet().stream()
        .map(name -> new RunningBot(prefix + name, name, unfinished.contains(name)))
        .toList();
  }

  @Override
  public BotExitDetails remains(String handle) {
    return remains;
  }

  @Override
  public List<String> templateValues() {
    return templateValues;
  }

  @Override
  public void onExit(Consumer<BotExit> listener) {
    listeners.add(listener);
  }

  @Override
  public void close() {
    listeners.clear();
  }

  /** A bot exits, seen by the launcher. */
  void exit(String name, int code) {
    LaunchSpec _ = alive.remove(name);
    listeners.forEach(
        listener -> listener.accept(new BotExit(prefix + name, name, Optional.of(code))));
  }

  /** Whether another fake made it; what none of them made does not run. */
  private boolean isOfAnother(String handle) {
    return handle.startsWith("fake") && !handle.startsWith(prefix);
  }

  private String name(String handle) {
    return handle.substring(prefix.length());
  }
}
