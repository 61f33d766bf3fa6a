package io.convoke.simulator.stores;

import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.GuardedProcess;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Debian's PgBouncer before an embedded Postgres, with {@code pool_mode = transaction}: the
 * transactions of a connection take turns through {@value #SESSIONS} sessions of a database.
 *
 * <p>Source: <a href="https://www.pgbouncer.org/config.html">PgBouncer's configuration</a>.
 */
public final class PgBouncer implements AutoCloseable {
  private static final int SESSIONS = 12;

  private final int port = InstalledPrograms.freePort();
  private final GuardedProcess process;

  private PgBouncer(Path folder, URI postgres, OrphanReaper orphanReaper) {
    String[] user = postgres.getUserInfo().split(":", 2);
    List<String> command = new ArrayList<>(InstalledPrograms.ownSession());
    command.addAll(InstalledPrograms.notRoot());
    command.addAll(List.of("pgbouncer", folder.resolve("pgbouncer.ini").toString()));
    try {
      Files.createDirectories(folder);
      Path _ =
          Files.writeString(
              folder.resolve("pgbouncer.ini"),
              """
              [databases]
              * = host=%s port=%d user=%s password=%s
              [pgbouncer]
              listen_addr = 127.0.0.1
              listen_port = %d
              unix_socket_dir =
              auth_type = any
              pool_mode = transaction
              default_pool_size = %d
              server_round_robin = 1
              max_client_conn = 500
              ignore_startup_parameters = extra_float_digits
              """
                  .formatted(
                      postgres.getHost(), postgres.getPort(), user[0], user[1], port, SESSIONS));
    } catch (IOException e) {
      throw new ChildProcessException("cannot prepare PgBouncer in " + folder, e);
    }
    this.process =
        GuardedProcess.start(
            "PgBouncer",
            new ProcessBuilder(command),
            new byte[0],
            folder.resolve("pgbouncer.log"),
            orphanReaper,
            "INT",
            this::serves);
  }

  /** Whether it is installed; installs it where that is possible. */
  static boolean isInstalled() {
    return DebianPackages.ensure(
        () -> DebianPackages.onPath("pgbouncer").findAny().isPresent(), "pgbouncer");
  }

  static PgBouncer start(Path folder, EmbeddedPostgres postgres, OrphanReaper orphanReaper) {
    return new PgBouncer(folder, URI.create(postgres.url("any")), orphanReaper);
  }

  /** The URL of a database through it, for the URL of the database itself. */
  public String url(String direct) {
    URI uri = URI.create(direct);
    return "postgresql://%s@127.0.0.1:%d%s?pool_mode=transaction"
        .formatted(uri.getUserInfo(), port, uri.getPath());
  }

  @Override
  public void close() {
    process.stop();
  }

  private boolean serves() {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
