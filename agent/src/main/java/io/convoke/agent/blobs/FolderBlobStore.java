package io.convoke.agent.blobs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Blobs as files of a local folder: {@code blobs/} holds complete ones, {@code partial/} those that
 * are being written. A blob is flushed to the disk, renamed, and its folder flushed, so after a
 * crash it exists completely or not at all.
 */
public final class FolderBlobStore implements BlobStore {
  private final Path blobs;
  private final Path partials;

  /** Creates the folder if it is missing. */
  public FolderBlobStore(Path folder) throws IOException {
    Path root = folder.toAbsolutePath().normalize();
    this.blobs = Files.createDirectories(root.resolve("blobs"));
    this.partials = Files.createDirectories(root.resolve("partial"));
  }

  @Override
  public PartialBlob partial(BlobKey key, String tag) throws IOException {
    return new FolderPartialBlob(
        partials.resolve(key.text().replace('/', '!') + "!" + new BlobKey(tag)), file(key));
  }

  @Override
  public void putNew(BlobKey key, byte[] content, String contentType) throws IOException {
    Path target = file(key);
    Path folder = Files.createDirectories(folderOf(target));
    Path partial = partials.resolve("new-" + UUID.randomUUID());
    try {
      try (FileChannel channel =
          FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
          int _ = channel.write(bytes);
        }
        channel.force(true);
      }
      // Without an option a move refuses to replace a file.
      Path _ = Files.move(partial, target);
    } finally {
      boolean _ = Files.deleteIfExists(partial);
    }
    flushFolder(folder);
  }

  @Override
  public Optional<BlobInfo> stat(BlobKey key) throws IOException {
    try {
      return Optional.of(blob(file(key)));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<InputStream> open(BlobKey key, long from) throws IOException {
    FileChannel channel;
    try {
      channel = FileChannel.open(file(key), StandardOpenOption.READ);
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
    return Optional.of(Channels.newInputStream(channel.position(from)));
  }

  @Override
  public boolean delete(BlobKey key) throws IOException {
    Path file = file(key);
    boolean was = Files.deleteIfExists(file);
    if (was) {
      flushFolder(folderOf(file));
    }
    return was;
  }

  @Override
  public BlobPage list(String prefix, Optional<String> after, int limit) throws IOException {
    // What is elsewhere has another prefix.
    Path folder = blobs.resolve(prefix.substring(0, prefix.lastIndexOf('/') + 1));
    List<BlobInfo> found = new ArrayList<>();
    if (!folder.normalize().startsWith(blobs.normalize()) || !Files.isDirectory(folder)) {
      return new BlobPage(List.of(), Optional.empty());
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .filter(Files::isRegularFile)
          .map(this::key)
          .filter(key -> key.startsWith(prefix))
          .filter(key -> after.isEmpty() || key.compareTo(after.get()) > 0)
          .sorted()
          .limit(limit + 1L)
          .map(key -> blobs.resolve(key))
          .forEach(file -> shown(file).ifPresent(found::add));
    } catch (UncheckedIOException e) {
      throw new IOException(e.getCause());
    }
    return found.size() > limit
        ? new BlobPage(
            List.copyOf(found.subList(0, limit)), Optional.of(found.get(limit - 1).key()))
        : new BlobPage(List.copyOf(found), Optional.empty());
  }

  @Override
  public int deletePartials(Instant before) throws IOException {
    int deleted = 0;
    try (Stream<Path> files = Files.list(partials)) {
      for (Path file : files.toList()) {
        if (Files.getLastModifiedTime(file).toInstant().isBefore(before)
            && Files.deleteIfExists(file)) {
          deleted++;
        }
      }
    } catch (NoSuchFileException gone) {
      // Completed or discarded meanwhile.
    }
    return deleted;
  }

  @Override
  public void close() {}

  private Path file(BlobKey key) {
    return blobs.resolve(key.text());
  }

  private String key(Path file) {
    return blobs.relativize(file).toString().replace('\\', '/');
  }

  private BlobInfo blob(Path file) throws IOException {
    return new BlobInfo(key(file), Files.size(file), Files.getLastModifiedTime(file).toInstant());
  }

  /** Empty for a file that was deleted since it was listed. */
  private Optional<BlobInfo> shown(Path file) {
    try {
      return Optional.of(blob(file));
    } catch (NoSuchFileException gone) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The folder of a blob's file; every such file has one. */
  private static Path folderOf(Path file) {
    return Objects.requireNonNull(file.getParent());
  }

  private static void flushFolder(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** One file under {@code partial/}; its content is hashed again when it is opened. */
  private static final class FolderPartialBlob implements PartialBlob {
    private static final int BUFFER = 64 * 1024;

    private final Path file;
    private final Path target;
    private Sha256 sha256 = new Sha256();
    private long size;

    private FolderPartialBlob(Path file, Path target) throws IOException {
      this.file = file;
      this.target = target;
      if (Files.exists(file)) {
        try (InputStream kept = Files.newInputStream(file)) {
          size = sha256.add(kept);
        }
      }
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public long append(InputStream content, long most) throws IOException {
      long added = 0;
      try (FileChannel channel =
              FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          var out = Channels.newOutputStream(channel.position(size))) {
        byte[] buffer = new byte[BUFFER];
        while (added < most) {
          int read = content.read(buffer, 0, (int) Math.min(BUFFER, most - added));
          if (read < 0) {
            break;
          }
          out.write(buffer, 0, read);
          sha256.add(buffer, 0, read);
          size += read;
          added += read;
        }
      }
      return added;
    }

    @Override
    public StoredBlob complete() throws IOException {
      Path folder = Files.createDirectories(folderOf(target));
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.truncate(size).force(true);
      }
      Path _ = Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
      flushFolder(folder);
      return new StoredBlob(size, sha256.hex());
    }

    @Override
    public void discard() throws IOException {
      boolean _ = Files.deleteIfExists(file);
      sha256 = new Sha256();
      size = 0;
    }
  }
}
