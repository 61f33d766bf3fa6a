package io.convoke.agent.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.UUID;

/**
 * Stores pictures as files in the folders of the server's local blob store: {@code blobs/} for
 * complete files, {@code partial/} for files being written. A file is flushed to disk before it
 * gets its name.
 */
final class FolderSnapshotStore implements SnapshotStore {
  private final Path blobs;
  private final Path partials;

  FolderSnapshotStore(Path folder) throws IOException {
    Path root = folder.toAbsolutePath().normalize();
    this.blobs = Files.createDirectories(root.resolve("blobs"));
    this.partials = Files.createDirectories(root.resolve("partial"));
  }

  @Override
  public void keep(String name, byte[] picture) throws IOException {
    Path target = blobs.resolve(name).normalize();
    if (!target.startsWith(blobs)) {
      throw new IOException("a picture cannot be named " + name);
    }
    Path folder = Files.createDirectories(Objects.requireNonNull(target.getParent()));
    Path partial = partials.resolve("snapshot-" + UUID.randomUUID());
    try {
      try (FileChannel channel =
          FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(picture);
        while (bytes.hasRemaining()) {
          int _ = channel.write(bytes);
        }
        channel.force(true);
      }
      // Without an option this refuses to replace a file.
      Path _ = Files.move(partial, target);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("there is a picture named " + name + " already", e);
    } finally {
      boolean _ = Files.deleteIfExists(partial);
    }
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
