package io.convoke.lab.chaos;

import io.convoke.lab.child.Guardian;
import io.convoke.lab.child.Scratch;
import io.convoke.lab.stores.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What several runs stand on: the stores, a folder, and whoever ends our children with us. */
public final class Ground implements AutoCloseable {
  private final Scratch scratch;
  private final Guardian guardian = new Guardian();
  private final Stores stores;

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
    stores.close();
    guardian.close();
    scratch.close();
  }
}
