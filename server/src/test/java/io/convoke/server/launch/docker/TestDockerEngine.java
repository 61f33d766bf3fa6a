package io.convoke.server.launch.docker;

import io.convoke.fakes.docker.DockerDaemon;
import io.convoke.fakes.docker.ImageTarWriter;
import io.convoke.server.launch.ScriptedBot;
import io.convoke.simulator.process.MachineLock;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.TempFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A Docker engine for tests, with one image of a static shell. One at a time on a machine, because
 * tests measure memory and the time of a restart.
 */
public final class TestDockerEngine implements AutoCloseable {
  public static final String IMAGE = "convoke-test-bot:1";

  /** A bot with a callback URL in its configuration uses it. */
  private static final String TALKING_OR =
      """
      #!/bin/sh
      case "$BOT_CONFIG" in *callback_url*) exec sh /talk ;; *questions*) exec sh /questions ;; esac
      """;

  /** Prints what a container may do, a line each; forks until it must not. */
  private static final String QUESTIONS =
      """
      can() { if (eval "$2") 2>/dev/null; then echo "$1 works$3"; else echo "$1 refused"; fi; }
      of() { cat /sys/fs/cgroup/$1 2>/dev/null || cat /sys/fs/cgroup/$2; }
      echo "uid $(id -u)"
      sed -n 's/^\\(CapEff\\|CapBnd\\|NoNewPrivs\\):[[:space:]]*/\\1: /p' /proc/self/status
      can root 'echo x > /file'
      can tmp 'echo "#!/bin/sh" > /tmp/file && chmod +x /tmp/file && /tmp/file'
      can home 'echo x > $HOME/file' " in $HOME"
      set -- $(df -k /dev/shm | sed -n 2p)
      echo "shm $2"
      echo "pids $(of pids.max pids/pids.max)"
      echo "memory $(of memory.max memory/memory.limit_in_bytes)"
      can fork 'i=0; while [ $i -lt 1100 ]; do sleep 60 & i=$((i+1)); done'
      """;

  private final MachineLock alone = MachineLock.acquire("test-engine");
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final TempFolder tempFolder;
  private final DockerDaemon dockerDaemon;
  private final Path image;

  private TestDockerEngine(String... options) throws IOException {
    this.tempFolder = TempFolder.open("convoke-docker");
    this.dockerDaemon =
        DockerDaemon.start(tempFolder.folder().resolve("engine"), orphanReaper, options);
    this.image = tempFolder.folder().resolve("image.tar");
  }

  /** Checked once, because an installation takes long, also a failed one. */
  private static final class Machine {
    static final Optional<String> OBSTACLE = DockerDaemon.obstacle();
  }

  /** Why no engine can run here; empty if one can. */
  public static Optional<String> obstacle() {
    return Machine.OBSTACLE;
  }

  /** Starts one, waits until it answers, and gives it the image. */
  public static TestDockerEngine start(String... options) throws IOException {
    TestDockerEngine engine = new TestDockerEngine(options);
    try (ImageTarWriter tar = new ImageTarWriter(engine.image)) {
      tar.shell("sh", "sleep", "sed", "nc", "grep", "id", "df", "cat", "chmod");
      tar.script("bot", TALKING_OR + ScriptedBot.SCRIPT);
      tar.script("talk", ShellBot.SCRIPT);
      tar.script("questions", QUESTIONS);
    }
    engine.importShell(IMAGE, List.of("/bot"));
    return engine;
  }

  /** Its address, as {@code CONVOKE_DOCKER_HOST} has it. */
  public String host() {
    return "unix://" + dockerDaemon.socket();
  }

  /** Kills the engine; containerd and the containers keep running. */
  public void kill() {
    dockerDaemon.kill();
  }

  /** Restarts the engine on its folder. */
  public void restart() throws IOException {
    dockerDaemon.restart();
  }

  /** Freezes the engine, so that it accepts connections without an answer, or resumes it. */
  void pause(boolean paused) {
    dockerDaemon.pause(paused);
  }

  /** Removes every container, the engine and its files. */
  @Override
  public void close() throws IOException {
    try (DockerEngine hand = byHand()) {
      hand.labelled(ContainerLabels.FLEET, "test")
          .forEach(container -> hand.remove(container.getId()));
    }
    dockerDaemon.close();
    orphanReaper.close();
    tempFolder.close();
    alone.close();
  }

  /** The engine's API, for calls that the launcher does not make. */
  DockerEngine byHand() {
    return new DockerEngine(host());
  }

  /** Kills a container from outside. */
  public void killContainer(String name) throws IOException {
    docker("kill", name);
  }

  /** The output of the engine's command line for a container. */
  String inspect(String id, String format) throws IOException {
    return dockerDaemon.docker("inspect", "-f", format, id);
  }

  /** The engine's own command line. */
  void docker(String... arguments) throws IOException {
    String _ = dockerDaemon.docker(arguments);
  }

  /** Creates another image from the files of {@link #IMAGE}. */
  void importShell(String name, List<String> command) throws IOException {
    importImage(image, name, command);
  }

  /** Makes an image of a tar of files, which runs this command. */
  public void importImage(Path tar, String name, List<String> command) throws IOException {
    dockerDaemon.importImage(tar, name, command.toArray(String[]::new));
  }
}
