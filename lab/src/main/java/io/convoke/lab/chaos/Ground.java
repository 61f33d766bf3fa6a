package io.convoke.lab.chaos;

import io.convoke.lab.child.ChildFailure;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.Scratch;
import io.convoke.lab.docker.Dockerd;
import io.convoke.lab.stores.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What several runs stand on: the stores, a folder, and whoever ends our children with us. */
public final class Ground implements AutoCloseable {
  private final Scratch scratch;
  private final Guardian guardian = new Guardian();
  private final Stores stores;
  private @Nullable Dockerd engine;

  private Ground(Scratch scratch) {
    this.scratch = scratch;
    this.stores = Stores.open(scratch.folder().resolve("stores"));
  }

  public static Ground open() throws IOException {
    return new Ground(Scratch.open("convoke-chaos"));
  }

  public Stores stores() {
    return stores;
  }

  public Guardian guardian() {
    return guardian;
  }

  /** What makes an engine usable for a scenario. */
  public interface Furnishing {
    void giveTo(Dockerd engine, Path folder) throws IOException;
  }

  /** A Docker engine of our own, started once, whose containers outlive its death. */
  public Dockerd engine(Furnishing images) throws IOException {
    Dockerd started = engine;
    if (started == null) {
      Optional<String> obstacle = Dockerd.obstacle();
      if (obstacle.isPresent()) {
        throw new NoEngine(obstacle.get());
      }
      Path folder = scratch.folder().resolve("engine");
      try {
        started = Dockerd.start(folder, guardian, "--live-restore");
      } catch (ChildFailure | IOException e) {
        throw new NoEngine(String.valueOf(e.getMessage()));
      }
      engine = started;
      images.giveTo(started, scratch.folder().resolve("image"));
    }
    return started;
  }

  /** A folder for the logs of one run. */
  public Path folder(String run) throws IOException {
    return Files.createDirectories(scratch.folder().resolve(run));
  }

  /** Leaves the folders for people to look at. */
  void keep() {
    scratch.keep();
  }

  @Override
  public void close() throws IOException {
    if (engine != null) {
      engine.close();
    }
    stores.close();
    guardian.close();
    scratch.close();
  }
}
