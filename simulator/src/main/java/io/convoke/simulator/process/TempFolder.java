package io.convoke.simulator.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A folder for one run, deleted with it unless kept. */
public final class TempFolder implements AutoCloseable {
  private final Path folder;
  private boolean kept;

  private TempFolder(Path folder) {
    this.folder = folder;
  }

  public static TempFolder open(String prefix) throws IOException {
    return new TempFolder(Files.createTempDirectory(prefix));
  }

  public Path folder() {
    return folder;
  }

  /** Keeps the folder. */
  public void keep() {
    kept = true;
  }

  @Override
  public void close() throws IOException {
    if (!kept) {
      Path _ = Files.walkFileTree(folder, new FolderDeletion());
    }
  }

  private static final class FolderDeletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      boolean _ = Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException error)
        throws IOException {
      boolean _ = Files.deleteIfExists(visited);
      return FileVisitResult.CONTINUE;
    }
  }
}
