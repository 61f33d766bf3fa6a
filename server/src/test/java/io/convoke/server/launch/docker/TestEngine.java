package io.convoke.server.launch.docker;

import io.convoke.lab.child.Child;
import io.convoke.lab.child.DebianPackages;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.Scratch;
import io.convoke.server.launch.ScriptedBot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A Docker engine of the tests' own: {@code dockerd} with its own socket and folder, no bridge and
 * no firewall rules, and one image made of a static shell. It can be ended and started again like
 * any engine.
 */
public final class TestEngine implements AutoCloseable {
  public static final String IMAGE = "convoke-test-bot:1";
  private static final List<String> SHELLS = List.of("/bin/busybox", "/usr/bin/busybox");

  /** Without the part that serves Kubernetes, and with all of its state in our folder. */
  private static final String CONTAINERD_CONFIG =
      """
      version = 2
      disabled_plugins = ["io.containerd.grpc.v1.cri"]
      """;

  /** A bot with a callback URL in its configuration uses it. */
  private static final String TALKING_OR =
      """
      #!/bin/sh
      case "$BOT_CONFIG" in *callback_url*) exec sh /talk ;; esac
      """;

  private static final String[] PACKAGES = {"docker.io", "busybox-static"};

  private final Guardian guardian = new Guardian();
  private final Scratch scratch;
  private final Path folder;
  private final List<String> options;
  private final Child containerd;
  private Child dockerd;

  private TestEngine(List<String> options) throws IOException {
    this.scratch = Scratch.open("convoke-docker");
    this.folder = scratch.folder();
    this.options = options;
    this.containerd = startContainerd();
    this.dockerd = startDockerd();
  }

  /** Asked once: installing takes its time, and failing to does too. */
  private static final class Machine {
    static final Optional<String> OBSTACLE = look();
  }

  /** Why there can be no engine here; empty if there can. */
  public static Optional<String> obstacle() {
    return Machine.OBSTACLE;
  }

  private static Optional<String> look() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return Optional.of("not root");
    }
    boolean here = installed() || (DebianPackages.install(PACKAGES) && installed());
    return here
        ? Optional.empty()
        : Optional.of("not installed, nor to be had by apt-get: " + String.join(", ", PACKAGES));
  }

  private static boolean installed() {
    return shell().isPresent()
        && Stream.of("dockerd", "containerd", "docker")
            .allMatch(program -> DebianPackages.onPath(program).findAny().isPresent());
  }

  /** Starts one, waits until it answers, and gives it the image. */
  public static TestEngine start(String... options) throws IOException {
    TestEngine engine = new TestEngine(List.of(options));
    engine.importImage();
    return engine;
  }

  /** Its address, as {@code CONVOKE_DOCKER_HOST} has it. */
  public String host() {
    return "unix://" + socket();
  }

  /** Ends the engine as a crash does; what really runs the containers goes on. */
  public void kill() {
    dockerd.kill();
  }

  /** Starts the engine anew on its old folder. */
  public void restart() throws IOException {
    boolean _ = Files.deleteIfExists(folder.resolve("pid"));
    dockerd = startDockerd();
  }

  /** Freezes the engine, so that it takes connections and answers nothing, or lets it go on. */
  void pause(boolean paused) {
    dockerd.pause(paused);
  }

  /** Ends every container and the engine, and leaves nothing behind. */
  @Override
  public void close() throws IOException {
    try (DockerEngine hand = byHand()) {
      hand.labelled(Labels.FLEET, "test").forEach(container -> hand.remove(container.getId()));
    }
    dockerd.stop();
    containerd.stop();
    guardian.close();
    for (String mount : Files.readAllLines(Path.of("/proc/mounts"))) {
      String at = mount.split(" ", -1)[1];
      if (at.startsWith(folder.toString())) {
        run("umount", "-l", at);
      }
    }
    scratch.close();
  }

  /** The engine's API by hand, for what the launcher would not do. */
  DockerEngine byHand() {
    return new DockerEngine(host());
  }

  /** Somebody ends a container with SIGKILL. */
  public void killContainer(String name) throws IOException {
    run("docker", "-H", host(), "kill", name);
  }

  /** What the engine's own command line says of a container. */
  String inspect(String id, String format) throws IOException {
    Process docker =
        new ProcessBuilder("docker", "-H", host(), "inspect", "-f", format, id)
            .redirectErrorStream(true)
            .start();
    try (var output = docker.inputReader()) {
      return String.join("\n", output.readAllLines());
    }
  }

  private static void run(String... line) throws IOException {
    try {
      int code =
          new ProcessBuilder(line)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor();
      if (code != 0) {
        throw new IOException(line[0] + " ended with " + code);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private Path socket() {
    return folder.resolve("docker.sock");
  }

  private Path containerdSocket() {
    return folder.resolve("containerd.sock");
  }

  private Child startContainerd() throws IOException {
    Path config = Files.writeString(folder.resolve("containerd.toml"), CONTAINERD_CONFIG);
    return child(
        "containerd",
        containerdSocket(),
        List.of(
            "containerd",
            "--config=" + config,
            "--root=" + folder.resolve("containerd-root"),
            "--state=" + folder.resolve("containerd-state"),
            "--address=" + containerdSocket()));
  }

  private Child startDockerd() throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                "dockerd",
                "--iptables=false",
                "--bridge=none",
                "--storage-driver=vfs",
                "--containerd=" + containerdSocket(),
                "--data-root=" + folder.resolve("data"),
                "--exec-root=" + folder.resolve("exec"),
                "--pidfile=" + folder.resolve("pid"),
                "--host=" + host()));
    line.addAll(options);
    return child("dockerd", socket(), line);
  }

  /** Starts a program of ours and waits until its socket takes connections. */
  private Child child(String name, Path socket, List<String> line) throws IOException {
    boolean _ = Files.deleteIfExists(socket);
    return Child.start(
        name,
        new ProcessBuilder(line),
        new byte[0],
        folder.resolve(name + ".log"),
        guardian,
        "TERM",
        () -> {
          try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
          } catch (IOException e) {
            return false;
          }
        });
  }

  /** What {@code docker import} does: a tar of files becomes an image. */
  private void importImage() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
      add(tar, "bin/busybox", Files.readAllBytes(shell().orElseThrow()));
      add(tar, "bot", (TALKING_OR + ScriptedBot.SCRIPT).getBytes(StandardCharsets.UTF_8));
      add(tar, "talk", ShellBot.SCRIPT.getBytes(StandardCharsets.UTF_8));
      for (String applet : List.of("sh", "sleep", "sed", "nc", "grep")) {
        TarArchiveEntry link = new TarArchiveEntry("bin/" + applet, TarArchiveEntry.LF_SYMLINK);
        link.setLinkName("busybox");
        tar.putArchiveEntry(link);
        tar.closeArchiveEntry();
      }
    }
    Path file = Files.write(folder.resolve("image.tar"), bytes.toByteArray());
    run("docker", "-H", host(), "import", "-c", "CMD [\"/bot\"]", file.toString(), IMAGE);
  }

  /** The engine's own command line. */
  void docker(String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("docker", "-H", host()));
    line.addAll(List.of(arguments));
    run(line.toArray(String[]::new));
  }

  /** Makes another image of the files of {@link #IMAGE}. */
  void importShell(String image, List<String> command) throws IOException {
    importImage(folder.resolve("image.tar"), image, command);
  }

  /** Makes an image of a tar of files, which runs this command. */
  public void importImage(Path tar, String image, List<String> command) throws IOException {
    run(
        "docker",
        "-H",
        host(),
        "import",
        "-c",
        "CMD " + io.convoke.engine.json.Json.write(command),
        tar.toString(),
        image);
  }

  private static void add(TarArchiveOutputStream tar, String name, byte[] content)
      throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setMode(0755);
    entry.setSize(content.length);
    tar.putArchiveEntry(entry);
    tar.write(content);
    tar.closeArchiveEntry();
  }

  private static Optional<Path> shell() {
    return SHELLS.stream().map(Path::of).filter(Files::isExecutable).findFirst();
  }
}
