package io.convoke.chaos;

import io.convoke.fakes.docker.DockerDaemon;
import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.TempFolder;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Resources shared by several runs: stores, a folder, and the reaper of child processes. */
public final class ChaosEnvironment implements AutoCloseable {
  private final TempFolder tempFolder;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final LocalStores localStores;
  private @Nullable DockerDaemon engine;

  private ChaosEnvironment(TempFolder tempFolder) {
    this.tempFolder = tempFolder;
    this.localStores = LocalStores.open(tempFolder.folder().resolve("stores"));
  }

  public static ChaosEnvironment open() throws IOException {
    return new ChaosEnvironment(TempFolder.open("convoke-chaos"));
  }

  public LocalStores stores() {
    return localStores;
  }

  public OrphanReaper guardian() {
    return orphanReaper;
  }

  /** Prepares a Docker engine for a scenario. */
  public interface DatabaseInitializer {
    void giveTo(DockerDaemon engine, Path folder) throws IOException;
  }

  /** A private Docker engine, started once; its containers survive its death. */
  public DockerDaemon engine(DatabaseInitializer images) throws IOException {
    DockerDaemon started = engine;
    if (started == null) {
      Optional<String> obstacle = DockerDaemon.obstacle();
      if (obstacle.isPresent()) {
        throw new NoDockerEngine(obstacle.get());
      }
      Path folder = tempFolder.folder().resolve("engine");
      try {
        started = DockerDaemon.start(folder, orphanReaper, "--live-restore");
      } catch (ChildProcessException | IOException e) {
        throw new NoDockerEngine(String.valueOf(e.getMessage()));
      }
      engine = started;
      images.giveTo(started, tempFolder.folder().resolve("image"));
    }
    return started;
  }

  /** Creates a folder for the logs of one run. */
  public Path folder(String run) throws IOException {
    return Files.createDirectories(tempFolder.folder().resolve(run));
  }

  /** Keeps the log folders for inspection. */
  void keep() {
    tempFolder.keep();
  }

  @Override
  public void close() throws IOException {
    if (engine != null) {
      engine.close();
    }
    localStores.close();
    orphanReaper.close();
    tempFolder.close();
  }
}
