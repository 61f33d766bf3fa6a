package io.convoke.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system of its own, in memory, that can be made full: the kernel then answers writes with
 * {@code ENOSPC}. It needs Linux and the right to mount.
 */
final class LimitedDisk implements AutoCloseable {
  private static final String ROOM = "4g";

  private final Path folder;

  private LimitedDisk(Path folder) {
    this.folder = folder;
  }

  /** Mounts it on a folder, which is made. */
  static LimitedDisk mount(Path folder) throws IOException {
    Files.createDirectories(folder);
    mount("size=" + ROOM + ",mode=0755", folder);
    return new LimitedDisk(folder);
  }

  /** Takes all room that is left. */
  void fill() {
    try {
      FileStore store = Files.getFileStore(folder);
      long used = store.getTotalSpace() - store.getUnallocatedSpace();
      mount("remount,size=" + used, folder);
    } catch (IOException e) {
      throw new IllegalStateException("cannot fill the disk at " + folder, e);
    }
  }

  /** Gives the room back. */
  void empty() {
    mount("remount,size=" + ROOM, folder);
  }

  @Override
  public void close() {
    run("umount", "--lazy", folder.toString());
  }

  private static void mount(String options, Path folder) {
    run("mount", "-t", "tmpfs", "-o", options, "convoke-chaos", folder.toString());
  }

  private static void run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new MissingPrerequisite(
            "a file system that can be full needs mount: " + said.strip());
      }
    } catch (IOException e) {
      throw new MissingPrerequisite(
          "a file system that can be full needs mount: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while mounting", e);
    }
  }
}
