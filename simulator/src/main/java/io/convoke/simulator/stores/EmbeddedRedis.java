package io.convoke.simulator.stores;

import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.GuardedProcess;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** An embedded Redis on loopback with a password of its own; it writes an append-only file. */
public final class EmbeddedRedis implements AutoCloseable {
  private final Path program;
  private final Path folder;
  private final OrphanReaper orphanReaper;
  private final int port;
  private final String password;
  private final String more;
  private GuardedProcess process;

  private EmbeddedRedis(
      Path program,
      Path folder,
      OrphanReaper orphanReaper,
      int port,
      String password,
      String more) {
    this.program = program;
    this.folder = folder;
    this.orphanReaper = orphanReaper;
    this.port = port;
    this.password = password;
    this.more = more;
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new ChildProcessException("cannot prepare Redis in " + folder, e);
    }
    this.process = launch();
  }

  /** Starts one alone, for measurements that need no Postgres. */
  public static EmbeddedRedis start(Path folder, OrphanReaper orphanReaper) {
    return start(StoreBinaries.redis(), folder, orphanReaper);
  }

  /** The same with another program that is compatible with redis-server. */
  static EmbeddedRedis start(Path program, Path folder, OrphanReaper orphanReaper) {
    return new EmbeddedRedis(
        program,
        folder,
        orphanReaper,
        InstalledPrograms.freePort(),
        UUID.randomUUID().toString(),
        "");
  }

  /** Starts one that follows another. */
  static EmbeddedRedis replica(Path folder, OrphanReaper orphanReaper, EmbeddedRedis master) {
    return new EmbeddedRedis(
        master.program,
        folder,
        orphanReaper,
        InstalledPrograms.freePort(),
        master.password,
        """
        replicaof 127.0.0.1 %d
        repl-diskless-sync-delay 0\
        """
            .formatted(master.port));
  }

  /**
   * Starts a cluster node that knows no other node yet. Its bus port is its own plus 10,000: not
   * every version has a setting for it.
   */
  static EmbeddedRedis clusterNode(
      Path program,
      Path folder,
      OrphanReaper orphanReaper,
      int port,
      String password,
      int silentMillis) {
    return new EmbeddedRedis(
        program,
        folder,
        orphanReaper,
        port,
        password,
        """
        cluster-enabled yes
        cluster-node-timeout %d
        cluster-require-full-coverage no
        repl-diskless-sync-delay 0\
        """
            .formatted(silentMillis));
  }

  /** Where it listens on loopback. */
  public int port() {
    return port;
  }

  String password() {
    return password;
  }

  /** Whether this one replicates a master that it has caught up with. */
  boolean follows() {
    return command("INFO replication\r\n").contains("master_link_status:up");
  }

  /** {@code redis://:pass@127.0.0.1:port}. */
  public String url() {
    return "redis://:%s@127.0.0.1:%d".formatted(password, port);
  }

  /** Ends the server cleanly; {@link #restart} brings it back on the same port with its data. */
  public void stop() {
    process.stop();
  }

  /** Ends the server as a crash would. */
  public void kill() {
    process.kill();
  }

  public void restart() {
    process = launch();
  }

  /** Disconnects a replica from its master, or connects it again. */
  void setUnresponsive(boolean disconnected) {
    String _ = command("CONFIG SET masterauth " + (disconnected ? "wrong" : password) + "\r\n");
  }

  /** Disconnects all replicas of this server; they reconnect if they can. */
  void dropReplicas() {
    String _ = command("CLIENT KILL TYPE slave\r\n");
  }

  /** Suspends the server without closing its connections, or resumes it. */
  public void pause(boolean paused) {
    process.pause(paused);
  }

  /** Empties the server, as a failover to an empty replica would. */
  public void flush() {
    if (!command("FLUSHALL\r\n").contains("+OK")) {
      throw new ChildProcessException("Redis did not flush");
    }
  }

  /** The keys that fit a pattern. */
  public List<String> keys(String pattern) {
    return command("KEYS " + pattern + "\r\n")
        .lines()
        .skip(1)
        .filter(line -> !line.startsWith("$") && !line.startsWith("*") && !line.startsWith("+"))
        .toList();
  }

  /** The text under a key; empty if there is none, or the server does not answer. */
  public String get(String key) {
    return command("GET " + key + "\r\n")
        .lines()
        .skip(1)
        .filter(line -> !line.startsWith("$") && !line.startsWith("+"))
        .findFirst()
        .orElse("");
  }

  /** How long a key still lives; empty if it does not exist or does not expire. */
  public Optional<Duration> timeToLive(String key) {
    return command("PTTL " + key + "\r\n")
        .lines()
        .filter(line -> line.startsWith(":") && !line.startsWith(":-"))
        .map(line -> Duration.ofMillis(Long.parseLong(line.substring(1))))
        .findFirst();
  }

  /** The run id of the server, {@code run_id:...}; empty if it does not answer. */
  public String runId() {
    return command("INFO server\r\n")
        .lines()
        .filter(line -> line.startsWith("run_id:"))
        .findFirst()
        .orElse("");
  }

  /** Closes every subscription; messages until the next subscription are lost. */
  public void dropSubscribers() {
    String _ = command("CLIENT KILL TYPE pubsub\r\n");
  }

  /** Closes every connection; clients reconnect. */
  public void cut() {
    String _ = command("CLIENT KILL TYPE normal\r\nCLIENT KILL TYPE pubsub\r\n");
  }

  /** How much of the append-only file is written, for {@link #killLosing}. */
  public long written() {
    try {
      return Files.size(log());
    } catch (IOException e) {
      throw new ChildProcessException("Redis has no append-only file", e);
    }
  }

  /** Ends the server like a power failure: bytes written after this offset are lost. */
  public void killLosing(long written) {
    kill();
    try (FileChannel file = FileChannel.open(log(), StandardOpenOption.WRITE)) {
      FileChannel _ = file.truncate(written);
    } catch (IOException e) {
      throw new ChildProcessException("cannot cut the append-only file", e);
    }
  }

  @Override
  public void close() {
    stop();
  }

  /** The part of the append-only file that is being written. */
  private Path log() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("appendonlydir"))) {
      return files
          .filter(file -> file.toString().endsWith(".incr.aof"))
          .max(Comparator.comparing(Path::toString))
          .orElseThrow(() -> new IOException("nothing is being written"));
    }
  }

  private GuardedProcess launch() {
    List<String> command = new ArrayList<>(InstalledPrograms.ownSession());
    command.addAll(List.of(program.toString(), "-"));
    // The configuration goes through standard input, because a command line shows its secrets.
    String config =
        """
        bind 127.0.0.1
        port %d
        requirepass %s
        dir %s
        save ""
        appendonly yes
        appendfsync everysec
        masterauth %s
        %s
        """
            .formatted(port, password, quoted(folder.toAbsolutePath()), password, more);
    return GuardedProcess.start(
        "Redis",
        new ProcessBuilder(command),
        config.getBytes(StandardCharsets.UTF_8),
        folder.resolve("redis.log"),
        orphanReaper,
        "TERM",
        () -> command("PING\r\n").contains("+PONG"));
  }

  /** A path as a configuration file may hold it: a space without quotes begins another value. */
  private static String quoted(Path path) {
    return "\"" + path.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  /** Sends inline commands, each with its line end, and returns all replies. */
  String command(String command) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(2000);
      socket
          .getOutputStream()
          .write(
              ("AUTH " + password + "\r\n" + command + "QUIT\r\n")
                  .getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }
}
