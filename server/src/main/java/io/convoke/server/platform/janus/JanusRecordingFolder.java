package io.convoke.server.platform.janus;

import io.convoke.server.platform.janus.MjrFile.MjrHeader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder in which Janus records: one folder for each room, and in it a file for each stream,
 * {@code videoroom-ROOM-user-ID-MICROSECONDS-audio-N.mjr}, with {@code .tmp} behind it while Janus
 * writes. The room is the folder's name, since names of rooms and ids may contain each other's
 * separators. Files of pictures and data are left alone.
 */
public final class JanusRecordingFolder {
  private static final Logger log = LoggerFactory.getLogger(JanusRecordingFolder.class);

  private static final Pattern NAME =
      Pattern.compile("(.+)-(\\d{15,17})-audio-\\d{1,4}\\.mjr(\\.tmp)?");

  private static final String OPEN = ".tmp";

  /** Files that one look reads at most; more than a day of a large Janus. */
  private static final int FILES_MAX = 100_000;

  /** What a disk of its own has at its top, open to root alone. */
  private static final String LOST_AND_FOUND = "lost+found";

  private final Path root;

  /** {@code root} is what rooms have their {@code rec_dir} in. */
  public JanusRecordingFolder(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /**
   * The recording of one stream.
   *
   * @param key of the file below the folder, without {@code .tmp}
   * @param created when Janus opened it
   * @param written when it was last written to
   * @param open whether Janus writes to it, or was killed while it did
   */
  record JanusTrackFile(
      String key,
      String room,
      String participant,
      Instant created,
      Instant written,
      long bytes,
      boolean open) {}

  /** Where the files of a room go. */
  public String folderOf(String room) {
    return root.resolve(room).toString();
  }

  /** All recordings of sound. */
  List<JanusTrackFile> files() throws IOException {
    List<JanusTrackFile> found = new ArrayList<>();
    try (DirectoryStream<Path> rooms = Files.newDirectoryStream(root)) {
      for (Path room : rooms) {
        if (Files.isDirectory(room, LinkOption.NOFOLLOW_LINKS)
            && !room.getFileName().toString().equals(LOST_AND_FOUND)) {
          addFiles(room, found);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private static void addFiles(Path folder, List<JanusTrackFile> found) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "videoroom-*")) {
      for (Path file : files) {
        if (found.size() == FILES_MAX) {
          log.warn("{} has more than {} recordings; the others wait", folder, FILES_MAX);
          return;
        }
        track(folder.getFileName().toString(), file).ifPresent(found::add);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private static Optional<JanusTrackFile> track(String room, Path file) throws IOException {
    String name = file.getFileName().toString();
    String prefix = "videoroom-" + room + "-user-";
    Matcher rest = NAME.matcher(name.startsWith(prefix) ? name.substring(prefix.length()) : "");
    if (!rest.matches()) {
      return Optional.empty();
    }
    boolean open = name.endsWith(OPEN);
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return attributes.isRegularFile()
          ? Optional.of(
              new JanusTrackFile(
                  room + "/" + (open ? name.substring(0, name.length() - OPEN.length()) : name),
                  room,
                  rest.group(1),
                  Instant.EPOCH.plus(Long.parseLong(rest.group(2)), ChronoUnit.MICROS),
                  attributes.lastModifiedTime().toInstant(),
                  attributes.size(),
                  open))
          : Optional.empty();
    } catch (NoSuchFileException renamed) {
      // Janus has just closed it; the next look finds it.
      return Optional.empty();
    }
  }

  /** What a recording's header says; empty if nothing was recorded, or the file is gone. */
  Optional<MjrHeader> header(String key) throws IOException {
    Optional<Path> path = path(key);
    return path.isPresent() ? MjrFile.header(path.get()) : Optional.empty();
  }

  /** The sound of a recording as Ogg with Opus, the same each time; empty if it is gone. */
  public Optional<InputStream> ogg(String key) throws IOException {
    Optional<Path> path = path(key);
    if (path.isEmpty()) {
      return Optional.empty();
    }
    MjrFile file = MjrFile.open(path.get());
    Optional<MjrHeader> header = file.header();
    if (header.isEmpty()) {
      file.close();
      return Optional.empty();
    }
    return Optional.of(new OpusOggStream(file, header.get()));
  }

  /** Deletes recordings, the last one of the list first. */
  void delete(List<String> keys) throws IOException {
    for (String key : keys.reversed()) {
      Optional<Path> path = path(key);
      if (path.isPresent()) {
        Files.delete(path.get());
      }
    }
  }

  private Optional<Path> path(String key) {
    Path path = root.resolve(key).normalize();
    if (!path.startsWith(root)) {
      return Optional.empty();
    }
    return List.of(path, path.resolveSibling(path.getFileName() + OPEN)).stream()
        .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
        .findFirst();
  }
}
