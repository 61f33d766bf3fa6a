package io.convoke.server.launch.process;

import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs bots as processes of this machine. A bot is a session of its own (where the system has
 * {@code setsid}), prints to its own file and not into a pipe of ours, so nothing that happens to
 * us reaches it.
 */
public final class ProcessLauncher implements Launcher {
  private static final Logger log = LoggerFactory.getLogger(ProcessLauncher.class);
  private static final int EXITS_REMEMBERED = 1000;

  /** Writes its own process id before it becomes the bot. */
  private static final String FIRST_BREATH =
      "echo $$ > \"$0.new\" && mv \"$0.new\" \"$0\" && exec \"$@\"";

  private final BotFiles files;
  private final BotCommand command;
  private final String host;
  private final boolean sessions;
  private final CopyOnWriteArrayList<Consumer<Exit>> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, Handle> watched = new ConcurrentHashMap<>();

  /** Exit codes of bots that ended while we watched; guarded by itself. */
  private final Map<String, Integer> exits =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
          return size() > EXITS_REMEMBERED;
        }
      };

  /** Keeps its records and the bots' logs in a folder of its own. */
  public ProcessLauncher(Path folder, BotCommand command) throws IOException {
    this.files = new BotFiles(folder.toAbsolutePath());
    this.command = command;
    this.host = hostName();
    this.sessions = onPath("setsid");
    files.create();
  }

  @Override
  public synchronized String launch(LaunchSpec spec) throws LaunchException {
    String name = spec.containerName();
    Optional<ProcessHandle> running = files.living(name);
    if (running.isPresent()) {
      return watch(Handle.of(host, running.get(), name), running.get());
    }
    List<String> line = new ArrayList<>();
    if (sessions) {
      line.add("setsid");
    }
    line.addAll(List.of("sh", "-c", FIRST_BREATH, files.pid(name).toString()));
    line.addAll(command.line());
    ProcessBuilder builder = new ProcessBuilder(line);
    Map<String, String> environment = builder.environment();
    environment.keySet().retainAll(List.of("PATH", "HOME"));
    environment.putAll(spec.environment());
    environment.put("BOT_CONFIG", spec.botConfig());
    builder.redirectInput(new File("/dev/null"));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(files.log(name).toFile()));
    try {
      Process process = builder.start();
      return watch(Handle.of(host, process.toHandle(), name), process);
    } catch (IOException e) {
      throw new LaunchException("the process could not be started: " + e.getMessage(), e);
    }
  }

  @Override
  public Probe probe(String handle) {
    return Handle.parse(handle).map(this::probe).orElseGet(Probe.Unknown::new);
  }

  @Override
  public Probe stop(String handle, Duration grace) {
    Probe before = probe(handle);
    if (before instanceof Probe.Alive) {
      Handle bot = Handle.parse(handle).orElseThrow();
      List<ProcessHandle> all = family(bot);
      all.forEach(ProcessHandle::destroy);
      if (!ended(all, grace)) {
        return kill(handle);
      }
      return probe(bot);
    }
    return before;
  }

  @Override
  public Probe kill(String handle) {
    Probe before = probe(handle);
    if (before instanceof Probe.Alive) {
      Handle bot = Handle.parse(handle).orElseThrow();
      List<ProcessHandle> all = family(bot);
      all.forEach(ProcessHandle::destroyForcibly);
      boolean _ = ended(all, Duration.ofSeconds(5));
      return probe(bot);
    }
    return before;
  }

  @Override
  public List<Running> list() {
    files.tidy();
    List<Running> running = new ArrayList<>();
    for (String name : files.names()) {
      Optional<ProcessHandle> process = files.living(name);
      if (process.isPresent()) {
        running.add(new Running(watch(Handle.of(host, process.get(), name), process.get()), name));
      } else if (!watched.containsKey(name)) {
        files.forget(name);
      }
    }
    return running;
  }

  @Override
  public Remains remains(String handle) {
    return Handle.parse(handle)
        .filter(bot -> bot.host().equals(host))
        .map(bot -> Remains.of(Optional.empty(), files.endOfLog(bot.name())))
        .orElse(Remains.NONE);
  }

  @Override
  public void onExit(Consumer<Exit> listener) {
    listeners.add(listener);
  }

  /** Ends every bot, politely first, and waits for it: for a demo that leaves nothing behind. */
  public void stopAll(Duration grace) {
    List<Thread> stops =
        list().stream()
            .map(bot -> Thread.ofVirtual().start(() -> stop(bot.handle(), grace)))
            .toList();
    for (Thread stop : stops) {
      try {
        stop.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public void close() {
    listeners.clear();
  }

  private Probe probe(Handle bot) {
    if (!bot.host().equals(host)) {
      return new Probe.Unreachable("it runs on " + bot.host());
    }
    if (bot.living().isPresent()) {
      return new Probe.Alive();
    }
    synchronized (exits) {
      return new Probe.Gone(Optional.ofNullable(exits.get(bot.name())));
    }
  }

  private String watch(Handle bot, Process process) {
    if (watched.putIfAbsent(bot.name(), bot) == null) {
      var _ = process.onExit().thenAccept(ended -> exited(bot, Optional.of(ended.exitValue())));
    }
    return bot.toString();
  }

  /**
   * A process that an earlier incarnation of ours started: its exit can be seen, its code cannot.
   */
  private String watch(Handle bot, ProcessHandle process) {
    if (watched.putIfAbsent(bot.name(), bot) == null) {
      var _ = process.onExit().thenAccept(ended -> exited(bot, Optional.empty()));
    }
    return bot.toString();
  }

  private void exited(Handle bot, Optional<Integer> exitCode) {
    synchronized (exits) {
      exitCode.ifPresent(code -> exits.put(bot.name(), code));
    }
    watched.remove(bot.name());
    files.forget(bot.name());
    for (Consumer<Exit> listener : listeners) {
      try {
        listener.accept(new Exit(bot.toString(), bot.name(), exitCode));
      } catch (RuntimeException e) {
        log.warn("a listener to the end of bot {} failed", bot.name(), e);
      }
    }
  }

  /** The bot's process and all below it. */
  private static List<ProcessHandle> family(Handle bot) {
    return bot.living().stream()
        .flatMap(leader -> Stream.concat(Stream.of(leader), leader.descendants()))
        .toList();
  }

  private static boolean ended(List<ProcessHandle> all, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    for (ProcessHandle process : all) {
      try {
        var _ =
            process.onExit().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      } catch (java.util.concurrent.ExecutionException e) {
        throw new IllegalStateException("waiting for a process cannot fail", e);
      }
    }
    return true;
  }

  private static boolean onPath(String program) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(path.split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static String hostName() {
    try {
      Path name = Path.of("/proc/sys/kernel/hostname");
      String text =
          Files.isReadable(name)
              ? Files.readString(name).strip()
              : java.net.InetAddress.getLocalHost().getHostName();
      return text.replaceAll("[^A-Za-z0-9_.-]", "_");
    } catch (IOException e) {
      return "localhost";
    }
  }
}
