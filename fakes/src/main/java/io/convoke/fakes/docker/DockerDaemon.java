package io.convoke.fakes.docker;

import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.GuardedProcess;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** A Docker engine in a folder. It can be stopped and started again. */
public final class DockerDaemon implements AutoCloseable {
  private static final String[] PACKAGES = {"docker.io", "busybox-static"};

  private static final JsonMapper JSON = new JsonMapper();

  /** Without the Kubernetes service, and with all of its state in the given folder. */
  private static final String CONTAINERD_CONFIG =
      """
      version = 2
      disabled_plugins = ["io.containerd.grpc.v1.cri"]
      """;

  private final Path folder;
  private final OrphanReaper orphanReaper;
  private final List<String> options;
  private final GuardedProcess containerd;
  private GuardedProcess dockerd;

  private DockerDaemon(Path folder, OrphanReaper orphanReaper, List<String> options)
      throws IOException {
    this.folder = folder;
    this.orphanReaper = orphanReaper;
    this.options = options;
    this.containerd = startContainerd();
    try {
      this.dockerd = startDockerd();
    } catch (IOException | RuntimeException e) {
      containerd.stop();
      throw e;
    }
  }

  /** Starts one in this folder and waits until it answers. */
  public static DockerDaemon start(Path folder, OrphanReaper orphanReaper, String... options)
      throws IOException {
    return new DockerDaemon(Files.createDirectories(folder), orphanReaper, List.of(options));
  }

  /** Why this machine cannot run an engine; empty if it can. May install it first. */
  public static Optional<String> obstacle() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return Optional.of("not root");
    }
    boolean here = DebianPackages.ensure(DockerDaemon::installed, PACKAGES);
    return here
        ? Optional.empty()
        : Optional.of("not installed, nor to be had by apt-get: " + String.join(", ", PACKAGES));
  }

  private static boolean installed() {
    return ImageTarWriter.shell().isPresent()
        && Stream.of("dockerd", "containerd", "docker")
            .allMatch(program -> DebianPackages.onPath(program).findAny().isPresent());
  }

  /** Its socket. */
  public Path socket() {
    return folder.resolve("docker.sock");
  }

  /** Kills the engine; the container runtime goes on. */
  public void kill() {
    dockerd.kill();
  }

  /** Starts the engine again on the same folder. */
  public void restart() throws IOException {
    boolean _ = Files.deleteIfExists(folder.resolve("pid"));
    dockerd = startDockerd();
  }

  /** Suspends the engine, so that it accepts connections without an answer, or resumes it. */
  public void pause(boolean paused) {
    dockerd.pause(paused);
  }

  /** Makes an image of a tar of files, which runs this command. */
  public void importImage(Path tar, String image, String... command) throws IOException {
    String _ =
        docker("import", "-c", "CMD " + JSON.writeValueAsString(command), tar.toString(), image);
  }

  /** Runs the engine's command line; returns its output. */
  public String docker(String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("docker", "-H", "unix://" + socket()));
    line.addAll(List.of(arguments));
    return CommandRunner.run(line.toArray(String[]::new));
  }

  /** Stops the engine and leaves no mount behind; its containers must have ended. */
  @Override
  public void close() throws IOException {
    dockerd.stop();
    containerd.stop();
    for (String mount : Files.readAllLines(Path.of("/proc/mounts"))) {
      String at = mount.split(" ", -1)[1];
      if (at.startsWith(folder.toString())) {
        String _ = CommandRunner.run("umount", "-l", at);
      }
    }
  }

  private GuardedProcess startContainerd() throws IOException {
    Path config = Files.writeString(folder.resolve("containerd.toml"), CONTAINERD_CONFIG);
    Path socket = folder.resolve("containerd.sock");
    return child(
        "containerd",
        socket,
        List.of(
            "containerd",
            "--config=" + config,
            "--root=" + folder.resolve("containerd-root"),
            "--state=" + folder.resolve("containerd-state"),
            "--address=" + socket));
  }

  private GuardedProcess startDockerd() throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                "dockerd",
                "--iptables=false",
                "--bridge=none",
                "--storage-driver=vfs",
                "--containerd=" + folder.resolve("containerd.sock"),
                "--data-root=" + folder.resolve("data"),
                "--exec-root=" + folder.resolve("exec"),
                "--pidfile=" + folder.resolve("pid"),
                "--host=unix://" + socket()));
    line.addAll(options);
    return child("dockerd", socket(), line);
  }

  /** Starts a program and waits until its socket accepts connections. */
  private GuardedProcess child(String name, Path socket, List<String> line) throws IOException {
    boolean _ = Files.deleteIfExists(socket);
    return GuardedProcess.start(
        name,
        new ProcessBuilder(line),
        new byte[0],
        folder.resolve(name + ".log"),
        orphanReaper,
        "TERM",
        () -> {
          try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
          } catch (IOException e) {
            return false;
          }
        });
  }
}
