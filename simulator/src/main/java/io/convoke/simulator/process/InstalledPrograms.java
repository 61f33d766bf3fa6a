package io.convoke.simulator.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** What this machine has for starting other programs. */
public final class InstalledPrograms {
  private static final int FIRST_PORT = 10_000;

  /** Linux gives outgoing connections ports from 32,768 on, other systems higher ones. */
  public static final int PORTS_END = 32_000;

  private static final int PORT_TRIES = 200;
  private static final boolean SETSID = runs("setsid", "true");
  private static final boolean UNSHARE = runs("unshare", "-U", "true");

  private InstalledPrograms() {}

  /** Prefix that keeps a terminal's Ctrl-C from reaching a child before its parent has drained. */
  public static List<String> ownSession() {
    return SETSID ? List.of("setsid") : List.of();
  }

  /**
   * Prefix under which Postgres agrees to run: it refuses root, so root runs it in a user namespace
   * with an unprivileged user, while the files stay root's own.
   */
  public static List<String> notRoot() {
    if (!System.getProperty("user.name").equals("root")) {
      return List.of();
    }
    if (UNSHARE) {
      return List.of("unshare", "-U");
    }
    throw new ChildProcessException(
        "Postgres does not run as root and this machine allows no user namespaces;"
            + " run as an ordinary user or bring a database by URL");
  }

  /**
   * A free port of loopback, below those of outgoing connections, so that a program that is killed
   * and started again finds it free.
   */
  public static int freePort() {
    for (int i = 0; i < PORT_TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, PORTS_END);
      if (free(port)) {
        return port;
      }
    }
    throw new ChildProcessException("no free port from " + FIRST_PORT + " to " + PORTS_END);
  }

  /** Whether a program can listen on this port of loopback now. */
  public static boolean free(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      // As servers do, so that lingering connections do not block the port.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }

  public static String lastLines(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
    } catch (IOException e) {
      return "(no log)";
    }
  }

  /** Sends a signal by its name: TERM, STOP, CONT. */
  static void signal(Process process, String signal) {
    signal(process.pid(), signal);
  }

  /** The same for any process; one that has exited is no failure. */
  static void signal(long pid, String signal) {
    try {
      int _ = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
    } catch (IOException e) {
      throw new ChildProcessException("cannot send " + signal + " to process " + pid, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean runs(String... command) {
    try {
      return new ProcessBuilder(command)
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
