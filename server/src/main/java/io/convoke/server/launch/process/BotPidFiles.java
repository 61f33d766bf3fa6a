package io.convoke.server.launch.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of bots: {@code NAME.pid}, written by the bot's own shell before it runs the program,
 * so that no server crash can separate a process from its record, and {@code NAME.log}, the bot's
 * output.
 */
final class BotPidFiles {
  private static final Logger log = LoggerFactory.getLogger(BotPidFiles.class);
  private static final long LOG_MAX = 8L << 20;
  private static final long LOG_KEPT = 1L << 20;
  private static final int LOGS_MAX = 500;
  private static final int END_OF_LOG = 16 << 10;

  /** Folders in one another in a bot's home; each is open while those in it are deleted. */
  private static final int HOME_DEPTH_MAX = 100;

  /** How far a process's start and the moment it wrote its id may lie apart. */
  private static final Duration RECORDED_WITHIN = Duration.ofSeconds(20);

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private final Path folder;

  BotPidFiles(Path folder) {
    this.folder = folder;
  }

  /** Bots of other users must not read each other's logs. */
  void create() throws IOException {
    Files.createDirectories(folder);
    PosixFileAttributeView view = Files.getFileAttributeView(folder, PosixFileAttributeView.class);
    if (view != null) {
      view.setPermissions(OWNER_ONLY);
    }
  }

  /** An empty folder that a bot's user alone may enter, until {@link #delete}. */
  Path createHome(String name, int user) throws IOException {
    deleteHome(name);
    Path home = Files.createTempDirectory("convoke-bot-");
    Files.writeString(home(name), home.toString());
    Files.setAttribute(home, "unix:gid", user);
    Files.setAttribute(home, "unix:uid", user);
    return home;
  }

  private Path home(String name) {
    return folder.resolve(name + ".home");
  }

  private void deleteHome(String name) throws IOException {
    if (!Files.exists(home(name))) {
      return;
    }
    Path root = Path.of(Files.readString(home(name)).strip());
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      Path parent = Objects.requireNonNull(root.getParent());
      try (DirectoryStream<Path> around = Files.newDirectoryStream(parent)) {
        if (!(around instanceof SecureDirectoryStream<Path> secure)) {
          throw new IOException(root + " cannot be deleted without following links");
        }
        deleteTree(secure, root.getFileName(), HOME_DEPTH_MAX);
      } catch (DirectoryIteratorException e) {
        throw new IOException(e);
      }
    }
    Files.deleteIfExists(home(name));
  }

  /**
   * Deletes a file or a folder with what is in it, each by its name in the folder that is open. By
   * their paths a process that the bot left behind could have any file deleted: it may put a link
   * in a folder's place at any moment.
   */
  static void deleteTree(SecureDirectoryStream<Path> parent, Path name, int levels)
      throws IOException {
    boolean isFolder =
        parent
            .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .readAttributes()
            .isDirectory();
    if (!isFolder) {
      parent.deleteFile(name);
      return;
    }
    if (levels == 0) {
      throw new IOException("too many folders in one another at " + name);
    }
    try (SecureDirectoryStream<Path> inside =
        parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
      for (Path each : inside) {
        deleteTree(inside, each.getFileName(), levels - 1);
      }
    }
    parent.deleteDirectory(name);
  }

  Path pid(String name) {
    return folder.resolve(name + ".pid");
  }

  Path log(String name) {
    return folder.resolve(name + ".log");
  }

  /**
   * The bot that recorded itself under this name, as its handle. Whether it still runs is another
   * question; if another process has its number now, that is not the one.
   */
  Optional<ProcessRef> recorded(String name, String host) {
    Path file = pid(name);
    try {
      long pid = Long.parseLong(Files.readString(file).strip());
      Instant recorded = Files.getLastModifiedTime(file).toInstant();
      return Optional.of(
          ProcessHandle.of(pid)
              .filter(process -> near(process, recorded))
              .map(process -> ProcessRef.of(host, process, name))
              .orElseGet(() -> new ProcessRef(host, pid, recorded.toEpochMilli(), name)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | NumberFormatException e) {
      log.warn("the record of bot {} cannot be read: {}", name, e.toString());
      return Optional.empty();
    }
  }

  void delete(String name) {
    try {
      Files.deleteIfExists(pid(name));
      deleteHome(name);
    } catch (IOException e) {
      log.warn("the record of bot {} cannot be removed: {}", name, e.toString());
    }
  }

  /** Every name that has a record. */
  List<String> names() {
    return list(".pid").stream().map(file -> stem(file, ".pid")).toList();
  }

  /** The last that a bot printed; nothing if it cannot be read. */
  String endOfLog(String name) {
    try (FileChannel channel = FileChannel.open(log(name), StandardOpenOption.READ)) {
      ByteBuffer end = ByteBuffer.allocate(END_OF_LOG);
      channel.position(Math.max(0, channel.size() - END_OF_LOG));
      while (end.hasRemaining() && channel.read(end) >= 0) {}
      return new String(end.array(), 0, end.position(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      log.debug("the log of bot {} cannot be read: {}", name, e.toString());
      return "";
    }
  }

  /** Keeps logs within their bound: long ones lose their beginning, the oldest of many go. */
  void tidy() {
    List<Path> logs =
        list(".log").stream()
            .sorted(Comparator.comparing(BotPidFiles::modified).reversed())
            .toList();
    for (int i = 0; i < logs.size(); i++) {
      try {
        if (i >= LOGS_MAX) {
          Files.deleteIfExists(logs.get(i));
          Files.deleteIfExists(older(logs.get(i)));
        } else if (Files.size(logs.get(i)) > LOG_MAX) {
          shorten(logs.get(i));
        }
      } catch (IOException e) {
        log.debug("log {} not truncated: {}", logs.get(i).getFileName(), e.toString());
      }
    }
  }

  /** Moves the end of a log aside and empties it; the bot goes on appending. */
  private static void shorten(Path file) throws IOException {
    Path aside = older(file);
    Path fresh = aside.resolveSibling(aside.getFileName() + ".new");
    try (FileChannel from =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileChannel to =
            FileChannel.open(
                fresh,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      long size = from.size();
      long _ = from.transferTo(Math.max(0, size - LOG_KEPT), LOG_KEPT, to);
      from.truncate(0);
    }
    Files.move(fresh, aside, StandardCopyOption.REPLACE_EXISTING);
  }

  private static Path older(Path file) {
    return file.resolveSibling(file.getFileName() + ".1");
  }

  private List<Path> list(String suffix) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().endsWith(suffix)).toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String stem(Path file, String suffix) {
    String name = file.getFileName().toString();
    return name.substring(0, name.length() - suffix.length());
  }

  private static Instant modified(Path file) {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException e) {
      return Instant.EPOCH;
    }
  }

  private static boolean near(ProcessHandle process, Instant recorded) {
    return process
        .info()
        .startInstant()
        .map(start -> Duration.between(start, recorded).abs().compareTo(RECORDED_WITHIN) < 0)
        .orElse(true);
  }
}
