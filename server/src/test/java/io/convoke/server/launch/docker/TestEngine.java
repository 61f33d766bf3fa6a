package io.convoke.server.launch.docker;

import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.MachineLock;
import io.convoke.lab.child.Scratch;
import io.convoke.lab.docker.Dockerd;
import io.convoke.lab.docker.ImageTar;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A Docker engine of the tests' own, with one image made of a static shell. There is one at a time
 * on a machine: tests count on what an engine says of memory and of how soon it is back.
 */
public final class TestEngine implements AutoCloseable {
  public static final String IMAGE = "convoke-test-bot:1";

  /** A bot with a callback URL in its configuration uses it. */
  private static final String TALKING_OR =
      """
      #!/bin/sh
      case "$BOT_CONFIG" in *callback_url*) exec sh /talk ;; esac
      """;

  private final MachineLock alone = MachineLock.take("test-engine");
  private final Guardian guardian = new Guardian();
  private final Scratch scratch;
  private final Dockerd dockerd;
  private final Path image;

  private TestEngine(String... options) throws IOException {
    this.scratch = Scratch.open("convoke-docker");
    this.dockerd = Dockerd.start(scratch.folder().resolve("engine"), guardian, options);
    this.image = scratch.folder().resolve("image.tar");
  }

  /** Asked once: installing takes its time, and failing to does too. */
  private static final class Machine {
    static final Optional<String> OBSTACLE = Dockerd.obstacle();
  }

  /** Why there can be no engine here; empty if there can. */
  public static Optional<String> obstacle() {
    return Machine.OBSTACLE;
  }

  /** Starts one, waits until it answers, and gives it the image. */
  public static TestEngine start(String... options) throws IOException {
    TestEngine engine = new TestEngine(options);
    try (ImageTar tar = new ImageTar(engine.image)) {
      tar.shell("sh", "sleep", "sed", "nc", "grep");
      tar.script("bot", TALKING_OR + ScriptedBot.SCRIPT);
      tar.script("talk", ShellBot.SCRIPT);
    }
    engine.importShell(IMAGE, List.of("/bot"));
    return engine;
  }

  /** Its address, as {@code CONVOKE_DOCKER_HOST} has it. */
  public String host() {
    return "unix://" + dockerd.socket();
  }

  /** Ends the engine as a crash does; what really runs the containers goes on. */
  public void kill() {
    dockerd.kill();
  }

  /** Starts the engine anew on its old folder. */
  public void restart() throws IOException {
    dockerd.restart();
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
    dockerd.close();
    guardian.close();
    scratch.close();
    alone.close();
  }

  /** The engine's API by hand, for what the launcher would not do. */
  DockerEngine byHand() {
    return new DockerEngine(host());
  }

  /** Somebody ends a container with SIGKILL. */
  public void killContainer(String name) throws IOException {
    docker("kill", name);
  }

  /** What the engine's own command line says of a container. */
  String inspect(String id, String format) throws IOException {
    return dockerd.docker("inspect", "-f", format, id);
  }

  /** The engine's own command line. */
  void docker(String... arguments) throws IOException {
    String _ = dockerd.docker(arguments);
  }

  /** Makes another image of the files of {@link #IMAGE}. */
  void importShell(String name, List<String> command) throws IOException {
    importImage(image, name, command);
  }

  /** Makes an image of a tar of files, which runs this command. */
  public void importImage(Path tar, String name, List<String> command) throws IOException {
    dockerd.importImage(tar, name, command.toArray(String[]::new));
  }
}
