package io.convoke.simulator.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Installs programs for tests and the demo that no Maven repository has: a browser, a container
 * engine, a transcriber. Only as root and with apt-get; callers report loudly what they skip
 * otherwise.
 */
public final class DebianPackages {
  private static final long INSTALL_MINUTES = 5;

  private DebianPackages() {}

  /**
   * Installs packages unless their programs are present; returns whether they are. It checks while
   * no other process of this machine installs: a half-unpacked package already has programs on the
   * path but lacks the files that they read.
   */
  public static synchronized boolean ensure(BooleanSupplier present, String... packages) {
    boolean root = "root".equals(System.getProperty("user.name"));
    if (!root || onPath("apt-get").findAny().isEmpty()) {
      return present.getAsBoolean();
    }
    try (MachineLock _ = MachineLock.acquire("packages")) {
      return present.getAsBoolean() || (install(packages) && present.getAsBoolean());
    }
  }

  /** Whether the package lists of this machine have a package. */
  public static boolean known(String name) {
    return onPath("apt-cache").findAny().isPresent()
        && ran(List.of("apt-cache", "show", "--quiet=2", name));
  }

  private static boolean install(String... packages) {
    System.err.println("installing Debian's " + String.join(", ", packages));
    List<String> install =
        new ArrayList<>(List.of("apt-get", "install", "-y", "--no-install-recommends"));
    install.addAll(List.of(packages));
    return ran(List.of("apt-get", "update")) && ran(install);
  }

  /** The programs of this name that can be run, first to last. */
  public static Stream<Path> onPath(String name) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable);
  }

  private static boolean ran(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
    try {
      Process process =
          builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      if (process.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES)) {
        return process.exitValue() == 0;
      }
      process.destroyForcibly();
      return false;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
