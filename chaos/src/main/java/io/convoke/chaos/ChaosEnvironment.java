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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Resources shared by several runs: stores, a folder, and the reaper of child processes. */
public final class ChaosEnvironment implements AutoCloseable {
  private final TempFolder tempFolder;
  private final OrphanReaper reaper = new OrphanReaper();
  private final LocalStores localStores;
  private final Set<AddedFault> added;
  private final Optional<LimitedDisk> disk;
  private @Nullable DockerDaemon engine;

  private ChaosEnvironment(TempFolder tempFolder, Set<AddedFault> added) throws IOException {
    this.tempFolder = tempFolder;
    this.added = added;
    Path stores = tempFolder.folder().resolve("stores");
    this.disk =
        added.contains(AddedFault.FULL_DISK)
            ? Optional.of(LimitedDisk.mount(stores.resolve("postgres")))
            : Optional.empty();
    this.localStores = LocalStores.open(stores);
  }

  /**
   * Starts the stores.
   *
   * @throws MissingPrerequisite if a fault is not possible here
   */
  public static ChaosEnvironment open(Set<AddedFault> added) throws IOException {
    return new ChaosEnvironment(TempFolder.open("convoke-chaos"), added);
  }

  /** Whether programs reach the stores over a network that the injector commands. */
  public boolean onNetwork() {
    return added.stream().anyMatch(AddedFault::onNetwork);
  }

  /** The disk of Postgres, if it can be made full. */
  LimitedDisk disk() {
    return disk.orElseThrow(() -> new IllegalStateException("the disk was not asked for"));
  }

  public LocalStores stores() {
    return localStores;
  }

  public OrphanReaper guardian() {
    return reaper;
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
        throw new MissingPrerequisite("--docker needs a real Docker engine: " + obstacle.get());
      }
      Path folder = tempFolder.folder().resolve("engine");
      try {
        started = DockerDaemon.start(folder, reaper, "--live-restore");
      } catch (ChildProcessException | IOException e) {
        throw new MissingPrerequisite("--docker needs a real Docker engine: " + e.getMessage());
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
    disk.ifPresent(LimitedDisk::close);
    reaper.close();
    tempFolder.close();
  }
}
