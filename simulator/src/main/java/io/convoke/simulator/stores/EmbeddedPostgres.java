package io.convoke.simulator.stores;

import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.GuardedProcess;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An embedded PostgreSQL on loopback with a password of its own, data in a folder that stays. */
public final class EmbeddedPostgres implements AutoCloseable {
  private static final String USER = "convoke";
  private static final Duration PREDECESSOR_MAX = Duration.ofSeconds(10);
  private static final Duration RECOVERS_MAX = Duration.ofSeconds(30);
  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  private final Path programs;
  private final Path folder;
  private final OrphanReaper orphanReaper;
  private final boolean durable;
  private final List<String> options;
  private final int port;
  private final String password;
  private GuardedProcess process;
  private Optional<GuardedProcess> standby = Optional.empty();
  private int standbyPort;

  /** Where databases are made: tests make hundreds, and a session costs as much as one of them. */
  private Optional<Connection> databases = Optional.empty();

  private EmbeddedPostgres(
      Path programs,
      Path folder,
      OrphanReaper orphanReaper,
      boolean durable,
      List<String> options,
      int port,
      String password) {
    this.programs = programs;
    this.folder = folder;
    this.orphanReaper = orphanReaper;
    this.durable = durable;
    this.options = options;
    this.port = port;
    this.password = password;
    this.process = launch(folder.resolve("data"), port, "postgres.log");
  }

  /**
   * Starts the server of a folder, which is made on the first start.
   *
   * @param programs the folder whose {@code bin} holds initdb and postgres
   * @param durable false lets commits skip the disk: for tests alone
   * @param options server settings such as {@code shared_buffers=1GB}, which win over the ones
   *     below
   */
  static EmbeddedPostgres start(
      Path programs,
      Path folder,
      OrphanReaper orphanReaper,
      boolean durable,
      List<String> options) {
    try {
      Files.createDirectories(folder);
      Path secret = folder.resolve("password");
      if (!Files.exists(folder.resolve("data/PG_VERSION"))) {
        FolderOperations.delete(folder.resolve("data"));
        Files.deleteIfExists(secret);
        Files.createFile(
            secret,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, UUID.randomUUID().toString());
        initialise(programs, folder, secret);
      }
      awaitPredecessor(folder);
      String password = Files.readString(secret, StandardCharsets.UTF_8);
      return new EmbeddedPostgres(
          programs, folder, orphanReaper, durable, options, InstalledPrograms.freePort(), password);
    } catch (IOException e) {
      throw new ChildProcessException("cannot prepare Postgres in " + folder, e);
    }
  }

  /** {@code postgresql://user:pass@127.0.0.1:port/database}. */
  public String url(String database) {
    return "postgresql://%s:%s@127.0.0.1:%d/%s".formatted(USER, password, port, database);
  }

  /**
   * Creates a database unless it exists. A template is copied file by file, which takes a quarter
   * of the CPU time of writing each of its blocks into the WAL; from Postgres 18 on the kernel
   * copies the files, in half the time.
   */
  public synchronized void createDatabase(String name, String template) {
    try {
      if (databases.isEmpty() || !databases.get().isValid(1)) {
        databases = Optional.of(connect("postgres"));
        execute(
            "select set_config(name, 'clone', false) from pg_settings"
                + " where name = 'file_copy_method'");
      }
      execute(
          "create database \"%s\" template \"%s\" strategy file_copy".formatted(name, template));
    } catch (SQLException e) {
      if (!"42P04".equals(e.getSQLState())) {
        throw new ChildProcessException("cannot create database " + name, e);
      }
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = databases.orElseThrow().createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }

  /** A connection for reading what servers wrote. */
  public Connection connect(String database) throws SQLException {
    return connect(database, port);
  }

  private Connection connect(String database, int at) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/%s?connectTimeout=2".formatted(at, database),
        USER,
        password);
  }

  /** Such as {@code 18.6}. */
  public String version() {
    try (Connection connection = connect("postgres")) {
      return connection.getMetaData().getDatabaseProductVersion();
    } catch (SQLException e) {
      throw new ChildProcessException("cannot ask Postgres for its version", e);
    }
  }

  /** Ends the server cleanly; {@link #restart} brings it back on the same port. */
  public void stop() {
    process.stop();
  }

  /** Ends the server as {@code pg_ctl stop -m immediate} does: no checkpoint, no goodbye. */
  public void stopImmediately() {
    process.stop("QUIT");
  }

  /** Ends the server as a power cut would. */
  public void kill() {
    process.kill();
  }

  /** Suspends the whole server without closing its connections, or resumes it. */
  public void pause(boolean paused) {
    process.pauseAll(paused);
  }

  public void restart() {
    awaitPredecessor(folder);
    process = launch(folder.resolve("data"), port, "postgres.log");
  }

  /** Brings the server back if it has ended by itself, as after a crash that it cannot mend. */
  public void restartIfEnded() {
    long end = System.nanoTime() + RECOVERS_MAX.toNanos();
    while (!serves(port)) {
      if (!process.isAlive()) {
        restart();
      } else if (System.nanoTime() - end > 0) {
        throw new ChildProcessException("Postgres in " + folder + " does not answer");
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  /**
   * Starts a synchronous standby with a copy of the data, for one {@link #failOver}: each commit
   * waits for it from now on. For a server that is durable.
   */
  public void addStandby() {
    Path copy = folder.resolve("standby");
    standbyPort = InstalledPrograms.freePort();
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement()) {
      FolderOperations.delete(copy);
      boolean _ = statement.execute("select pg_backup_start('standby', true)");
      FolderOperations.copy(folder.resolve("data"), copy);
      try (ResultSet label = statement.executeQuery("select labelfile from pg_backup_stop()")) {
        boolean _ = label.next();
        Files.writeString(copy.resolve("backup_label"), label.getString(1));
      }
      Files.deleteIfExists(copy.resolve("postmaster.pid"));
      Files.createFile(copy.resolve("standby.signal"));
      Files.writeString(
          copy.resolve("postgresql.auto.conf"),
          "primary_conninfo = 'host=127.0.0.1 port=%d user=%s password=%s'%n"
              .formatted(port, USER, password));
      standby = Optional.of(launch(copy, standbyPort, "standby.log"));
      boolean _ = statement.execute("alter system set synchronous_standby_names = '*'");
      boolean _ = statement.execute("select pg_reload_conf()");
      awaitTrue(
          statement, "select exists (select from pg_stat_replication where sync_state = 'sync')");
      // The checkpointer tells commits to wait; then one that waits shows that all before arrived.
      boolean _ = statement.execute("checkpoint");
      boolean _ =
          statement.execute("select pg_logical_emit_message(true, 'standby', 'synchronous')");
    } catch (SQLException | IOException e) {
      throw new ChildProcessException("cannot add a standby to " + folder, e);
    }
  }

  /** Kills the server; its standby is promoted, and takes over its address and its folder. */
  public void failOver() {
    kill();
    GuardedProcess promoted =
        standby.orElseThrow(() -> new IllegalStateException("there is no standby"));
    standby = Optional.empty();
    try (Connection connection = connect("postgres", standbyPort);
        Statement statement = connection.createStatement()) {
      awaitTrue(statement, "select pg_promote(true)");
    } catch (SQLException e) {
      throw new ChildProcessException("cannot promote the standby of " + folder, e);
    }
    promoted.stop();
    try {
      FolderOperations.delete(folder.resolve("data"));
      Path _ = Files.move(folder.resolve("standby"), folder.resolve("data"));
    } catch (IOException e) {
      throw new ChildProcessException("cannot move the data of the standby", e);
    }
    restart();
  }

  private static void awaitTrue(Statement statement, String condition) throws SQLException {
    long end = System.nanoTime() + RECOVERS_MAX.toNanos();
    while (System.nanoTime() - end < 0) {
      try (ResultSet result = statement.executeQuery(condition)) {
        if (result.next() && result.getBoolean(1)) {
          return;
        }
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    throw new ChildProcessException("this does not become true: " + condition);
  }

  @Override
  public void close() {
    standby.ifPresent(GuardedProcess::stop);
    stop();
  }

  private boolean serves(int at) {
    try (Connection connection = connect("postgres", at)) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private GuardedProcess launch(Path data, int at, String log) {
    List<String> command = new ArrayList<>(InstalledPrograms.ownSession());
    command.addAll(InstalledPrograms.notRoot());
    command.addAll(
        List.of(
            program(programs, "postgres"),
            "-D",
            data.toString(),
            "-p",
            Integer.toString(at),
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories=",
            "-c",
            "max_connections=200",
            "-c",
            "shared_buffers=64MB",
            "-c",
            "timezone=UTC",
            "-c",
            "log_min_messages=warning"));
    options.forEach(option -> command.addAll(List.of("-c", option)));
    if (!durable) {
      // Tests leave hundreds of small databases, and autovacuum would visit each once a minute.
      command.addAll(
          List.of(
              "-c",
              "fsync=off",
              "-c",
              "synchronous_commit=off",
              "-c",
              "full_page_writes=off",
              "-c",
              "autovacuum=off"));
    }
    return GuardedProcess.start(
        "Postgres",
        new ProcessBuilder(command),
        new byte[0],
        folder.resolve(log),
        orphanReaper,
        "INT",
        () -> serves(at));
  }

  /**
   * Makes the data folder, beside its place: initdb writes PG_VERSION first of all, so that one
   * that was killed leaves what looks like data. Its LC_CTYPE tells letters and their cases beyond
   * ASCII, which search needs; machines that have neither of the two locales for it get C.
   */
  private static void initialise(Path programs, Path folder, Path secret) throws IOException {
    Path made = folder.resolve("data.new");
    Path log = folder.resolve("initdb.log");
    for (String characters : List.of("C.UTF-8", "en_US.UTF-8", "C")) {
      FolderOperations.delete(made);
      if (initialised(programs, made, secret, characters, log)) {
        Path _ = Files.move(made, folder.resolve("data"));
        return;
      }
    }
    throw new ChildProcessException("initdb failed:\n" + InstalledPrograms.lastLines(log));
  }

  private static boolean initialised(
      Path programs, Path data, Path secret, String characters, Path log) throws IOException {
    List<String> command = new ArrayList<>(InstalledPrograms.notRoot());
    command.addAll(
        List.of(
            program(programs, "initdb"),
            "-D",
            data.toString(),
            "-U",
            USER,
            "-A",
            "scram-sha-256",
            "--pwfile",
            secret.toString(),
            "-E",
            "UTF8",
            "--locale",
            "C",
            "--lc-ctype",
            characters,
            "--no-sync"));
    try {
      Process initdb =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      return initdb.waitFor() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ChildProcessException("interrupted while preparing Postgres", e);
    }
  }

  /**
   * Waits for a server that still exits after its parent was killed; sends it a signal if it does
   * not.
   */
  private static void awaitPredecessor(Path folder) {
    Path pidFile = folder.resolve("data/postmaster.pid");
    try {
      if (!Files.exists(pidFile)) {
        return;
      }
      long pid = Long.parseLong(Files.readAllLines(pidFile).getFirst().trim());
      var predecessor = ProcessHandle.of(pid).filter(EmbeddedPostgres::isPostgres);
      if (predecessor.isEmpty()) {
        Files.deleteIfExists(pidFile);
        return;
      }
      try {
        var _ = predecessor.get().onExit().get(PREDECESSOR_MAX.toMillis(), TimeUnit.MILLISECONDS);
      } catch (java.util.concurrent.TimeoutException e) {
        throw new ChildProcessException("another process serves " + folder + " (pid " + pid + ")");
      }
    } catch (IOException | NumberFormatException | java.util.concurrent.ExecutionException e) {
      throw new ChildProcessException("cannot read " + pidFile, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ChildProcessException("interrupted while waiting for a predecessor", e);
    }
  }

  private static boolean isPostgres(ProcessHandle handle) {
    return handle.info().command().map(command -> command.endsWith("postgres")).orElse(false);
  }

  private static String program(Path programs, String name) {
    return programs.resolve("bin").resolve(name).toString();
  }
}
