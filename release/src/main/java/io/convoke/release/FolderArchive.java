package io.convoke.release;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * A folder as a compressed tar whose bytes depend on names, contents and execute bits alone:
 * entries in the order of their names, of root, all of one time.
 */
final class FolderArchive {
  private static final int PROGRAM = 0755;
  private static final int DATA = 0644;

  private FolderArchive() {}

  /**
   * Writes the archive.
   *
   * @param root name of the folder in the archive; entries begin with it
   */
  static void write(Path folder, String root, Instant time, OutputStream out) throws IOException {
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(new GZIPOutputStream(out, 1 << 16), Launcher.UTF_8.name())) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
      for (Path path : sorted(folder)) {
        String name = root + "/" + folder.relativize(path);
        if (Files.isSymbolicLink(path)) {
          TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
          entry.setLinkName(Files.readSymbolicLink(path).toString());
          put(tar, entry, PROGRAM, time);
        } else if (Files.isDirectory(path)) {
          String shown = path.equals(folder) ? root + "/" : name + "/";
          put(tar, new TarArchiveEntry(shown), PROGRAM, time);
        } else {
          TarArchiveEntry entry = new TarArchiveEntry(name);
          entry.setSize(Files.size(path));
          put(tar, entry, Files.isExecutable(path) ? PROGRAM : DATA, time);
          long _ = Files.copy(path, tar);
        }
        tar.closeArchiveEntry();
      }
    }
  }

  /** Gives all files and folders one time, by which the JVM knows jars again. */
  static void stamp(Path folder, Instant time) throws IOException {
    for (Path path : sorted(folder).reversed()) {
      if (!Files.isSymbolicLink(path)) {
        Path _ = Files.setLastModifiedTime(path, FileTime.from(time));
      }
    }
  }

  /** The folder and all under it. */
  static List<Path> sorted(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      return files.sorted().toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void put(TarArchiveOutputStream tar, TarArchiveEntry entry, int mode, Instant time)
      throws IOException {
    entry.setMode(mode);
    entry.setIds(0, 0);
    entry.setNames("root", "root");
    entry.setModTime(FileTime.from(time));
    tar.putArchiveEntry(entry);
  }
}
