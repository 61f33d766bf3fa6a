package io.convoke.server.launch.process;

import io.convoke.agent.process.ProcessSession;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs bots as processes of this machine. A bot is a session of its own (where the system has
 * {@code setsid}), writes to its own file and not into a pipe of the server, so a server crash does
 * not reach it. The session is the bot, not its first process, which is often only a shell: the bot
 * lives while any process of it runs, signals go to all of them, and its exit is reported when none
 * is left, with the exit code of the first process.
 */
public final class ProcessLauncher implements Launcher {
  private static final Logger log = LoggerFactory.getLogger(ProcessLauncher.class);
  private static final int EXITS_REMEMBERED = 1000;
  private static final Duration KILL_MAX = Duration.ofSeconds(5);
  private static final Duration EXIT_CODE_MAX = Duration.ofSeconds(1);

  /** Interval between checks of a bot whose first process has ended while others run on. */
  private static final Duration LEFTOVER_LOOK = Duration.ofSeconds(1);

  private static final Duration LEFTOVER_WAIT = Duration.ofMinutes(1);

  /** Writes its own process id before it becomes the bot. */
  private static final String FIRST_BREATH =
      "echo $$ > \"$0.new\" && mv \"$0.new\" \"$0\" && exec \"$@\"";

  private final BotPidFiles files;
  private final BotCommandLine command;
  private final Optional<BotUsers> users;
  private final String host;
  private final boolean sessions;
  private final CopyOnWriteArrayList<Consumer<BotExit>> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, ExitWatch> watched = new ConcurrentHashMap<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Bots of which nothing was left while we watched, with the code if known; guarded by itself. */
  private final Map<String, Optional<Integer>> exits =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Optional<Integer>> eldest) {
          return size() > EXITS_REMEMBERED;
        }
      };

  /**
   * A bot whose end this launcher waits for.
   *
   * @param session remembers the processes that it has seen
   * @param exitCode of the first process; empty if an earlier server started it
   */
  private record ExitWatch(
      ProcessRef bot, ProcessSession session, CompletableFuture<Optional<Integer>> exitCode) {}

  /** Bots run as the server's own user. */
  public ProcessLauncher(Path folder, BotCommandLine command) throws IOException {
    this(folder, command, Optional.empty());
  }

  /**
   * Keeps its records and the bots' logs in a folder of its own.
   *
   * @param users which bots run as; empty: the server's own
   */
  public ProcessLauncher(Path folder, BotCommandLine command, Optional<BotUsers> users)
      throws IOException {
    this.users = users;
    this.files = new BotPidFiles(folder.toAbsolutePath());
    this.command = command;
    this.host = hostName();
    this.sessions = onPath("setsid");
    files.create();
  }

  @Override
  public synchronized String launch(LaunchSpec spec) throws LaunchException {
    String name = spec.containerName();
    Optional<ProcessRef> running = recorded(name);
    if (running.isPresent()) {
      return running.get().toString();
    }
    watch(name).map(ExitWatch::bot).ifPresent(this::ended);
    synchronized (exits) {
      var _ = exits.remove(name);
    }
    List<String> line = new ArrayList<>();
    if (sessions) {
      line.add("setsid");
    }
    line.addAll(List.of("sh", "-c", FIRST_BREATH, files.pid(name).toString()));
    Optional<Integer> user = takeUser(name);
    user.map(BotUsers::become).ifPresent(line::addAll);
    line.addAll(command.line());
    ProcessBuilder builder = new ProcessBuilder(line);
    Map<String, String> environment = builder.environment();
    environment.keySet().retainAll(List.of("PATH", "HOME"));
    environment.putAll(spec.environment());
    environment.putAll(spec.secrets());
    environment.put("BOT_CONFIG", spec.botConfig());
    builder.redirectInput(new File("/dev/null"));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(files.log(name).toFile()));
    try {
      if (user.isPresent()) {
        Path home = files.createHome(name, user.get());
        environment.put("HOME", home.toString());
        builder.directory(home.toFile());
      }
      Process process = builder.start();
      return watch(ProcessRef.of(host, process.toHandle(), name), process);
    } catch (IOException e) {
      release(name);
      throw new LaunchException("the process could not be started: " + e.getMessage(), e);
    }
  }

  private Optional<Integer> takeUser(String name) throws LaunchException {
    return users.isPresent() ? Optional.of(users.get().take(name)) : Optional.empty();
  }

  /** Forgets a bot that does not run: its record, its home, its user. */
  private void release(String name) {
    files.delete(name);
    users.ifPresent(all -> all.release(name));
  }

  /** A machine may be given another name, or another time, while its bots run. */
  @Override
  public boolean sameBot(String other, String handle) {
    return ProcessRef.parse(handle)
        .flatMap(bot -> ProcessRef.parse(other).filter(bot::isSameLaunch))
        .isPresent();
  }

  /** Its own session alone: the other bot may run on this machine too, with the same mark. */
  @Override
  public boolean killSecond(String handle) {
    Optional<ProcessRef> second =
        ProcessRef.parse(handle)
            .filter(bot -> bot.host().equals(host))
            .filter(bot -> bot.living().isPresent());
    try {
      boolean _ =
          second.isPresent()
              && new ProcessSession(second.get().pid(), () -> !second.get().replaced(), _ -> false)
                  .kill(KILL_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return second.isPresent();
  }

  @Override
  public Probe probe(String handle) {
    return ProcessRef.parse(handle).map(this::probe).orElseGet(Probe.Unknown::new);
  }

  @Override
  public Probe stop(String handle, Duration grace) {
    return end(handle, session -> session.terminate(grace) || session.kill(KILL_MAX));
  }

  @Override
  public Probe kill(String handle) {
    return end(handle, session -> session.kill(KILL_MAX));
  }

  /** Ends a session; true when nothing of it is left. */
  private interface SessionTerminator {
    boolean end(ProcessSession session) throws InterruptedException;
  }

  private Probe end(String handle, SessionTerminator sessionTerminator) {
    Probe before = probe(handle);
    if (!(before instanceof Probe.Alive)) {
      return before;
    }
    ProcessRef bot = ProcessRef.parse(handle).orElseThrow();
    // The session is followed from before the first process can end.
    watch(bot);
    try {
      if (!sessionTerminator.end(session(bot))) {
        return new Probe.Alive();
      }
      ended(bot);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return probe(bot);
  }

  @Override
  public List<RunningBot> list() {
    files.tidy();
    List<RunningBot> running = new ArrayList<>();
    for (String name : files.names()) {
      Optional<ProcessRef> bot = recorded(name);
      if (bot.isPresent()) {
        running.add(new RunningBot(bot.get().toString(), name));
      } else if (!watched.containsKey(name)) {
        release(name);
      }
    }
    return running;
  }

  @Override
  public BotExitDetails remains(String handle) {
    return ProcessRef.parse(handle)
        .filter(bot -> bot.host().equals(host))
        .map(bot -> BotExitDetails.of(Optional.empty(), files.endOfLog(bot.name())))
        .orElse(BotExitDetails.NONE);
  }

  @Override
  public void onExit(Consumer<BotExit> listener) {
    listeners.add(listener);
  }

  /**
   * Stops every bot, with SIGTERM first, and waits until it has ended; for a demo that leaves no
   * processes.
   */
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
    closing.countDown();
    listeners.clear();
  }

  private Probe probe(ProcessRef bot) {
    if (!bot.host().equals(host)) {
      return new Probe.Unreachable("it runs on " + bot.host());
    }
    if (bot.living().isPresent()) {
      return new Probe.Alive();
    }
    synchronized (exits) {
      if (exits.containsKey(bot.name())) {
        return new Probe.Gone(exits.getOrDefault(bot.name(), Optional.empty()));
      }
    }
    return session(bot).running() ? new Probe.Alive() : new Probe.Gone(Optional.empty());
  }

  /** The living bot of a record, which is watched from now on. */
  private Optional<ProcessRef> recorded(String name) {
    Optional<ProcessRef> bot =
        watch(name)
            .map(ExitWatch::bot)
            .or(() -> files.recorded(name, host))
            .filter(of -> of.living().isPresent() || session(of).running());
    bot.ifPresent(this::watch);
    return bot;
  }

  /** The processes of a bot. */
  private ProcessSession session(ProcessRef bot) {
    return watch(bot.name())
        .filter(exitWatch -> exitWatch.bot().isSame(bot))
        .map(ExitWatch::session)
        .orElseGet(() -> newSession(bot));
  }

  private ProcessSession newSession(ProcessRef bot) {
    return new ProcessSession(
        bot.pid(),
        () -> bot.living().isPresent() || (watches(bot) && !bot.replaced()),
        variable -> variable.startsWith("BOT_CONFIG=") && variable.contains(mark(bot)));
  }

  /** Whether this launcher has followed the session without a gap since its first process lived. */
  private boolean watches(ProcessRef bot) {
    return watch(bot.name()).filter(exitWatch -> exitWatch.bot().isSame(bot)).isPresent();
  }

  private Optional<ExitWatch> watch(String name) {
    return Optional.ofNullable(watched.get(name));
  }

  /** The field of every {@code BOT_CONFIG}; the container name contains this id. */
  private static String mark(ProcessRef bot) {
    return "\"container_name\":\"" + bot.name() + "\"";
  }

  private String watch(ProcessRef bot, Process process) {
    CompletableFuture<Optional<Integer>> exitCode =
        process.onExit().thenApply(ended -> Optional.of(ended.exitValue()));
    if (watched.putIfAbsent(bot.name(), new ExitWatch(bot, newSession(bot), exitCode)) == null) {
      var _ = exitCode.thenRun(() -> firstEnded(bot));
    }
    return bot.toString();
  }

  /**
   * A bot started by an earlier server process: its exit is visible, its exit code is not. Its
   * first process may have ended before.
   */
  private void watch(ProcessRef bot) {
    ExitWatch exitWatch =
        new ExitWatch(bot, newSession(bot), CompletableFuture.completedFuture(Optional.empty()));
    if (watched.putIfAbsent(bot.name(), exitWatch) == null) {
      Optional<ProcessHandle> first = bot.living();
      if (first.isPresent()) {
        var _ = first.get().onExit().thenRun(() -> firstEnded(bot));
      } else {
        firstEnded(bot);
      }
    }
  }

  /** The first process of a bot has ended; the bot has when nothing else of it runs. */
  private void firstEnded(ProcessRef bot) {
    var _ =
        Thread.ofVirtual()
            .name("rest-of-" + bot.name())
            .start(
                () -> {
                  if (restEnded(bot)) {
                    ended(bot);
                  }
                });
  }

  /** Waits for the end of all that a bot's first process left; false if this launcher is closed. */
  private boolean restEnded(ProcessRef bot) {
    try {
      while (watches(bot) && !session(bot).awaitEnd(LEFTOVER_WAIT, LEFTOVER_LOOK)) {
        if (closing.getCount() == 0) {
          return false;
        }
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Reports once that no process of a bot is left. */
  private void ended(ProcessRef bot) {
    ExitWatch exitWatch = watched.get(bot.name());
    if (exitWatch == null || !exitWatch.bot().isSame(bot)) {
      return;
    }
    Optional<Integer> exitCode =
        exitWatch
            .exitCode()
            .completeOnTimeout(Optional.empty(), EXIT_CODE_MAX.toMillis(), TimeUnit.MILLISECONDS)
            .join();
    synchronized (exits) {
      exits.put(bot.name(), exitCode);
    }
    if (!watched.remove(bot.name(), exitWatch)) {
      return;
    }
    release(bot.name());
    for (Consumer<BotExit> listener : listeners) {
      try {
        listener.accept(new BotExit(bot.toString(), bot.name(), exitCode));
      } catch (RuntimeException e) {
        log.warn("a listener to the end of bot {} failed", bot.name(), e);
      }
    }
  }

  static boolean onPath(String program) {
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
