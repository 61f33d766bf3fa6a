package io.convoke.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Which server is asked, and with which key: a file that its user alone may read and write.
 *
 * @param url of the server
 */
record StoredLogin(URI url, String key) {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");

  /** The file: below {@code XDG_CONFIG_HOME}, else {@code ~/.config}. */
  static Path file(Map<String, String> environment) {
    String config = environment.getOrDefault("XDG_CONFIG_HOME", "");
    Path base =
        config.isEmpty()
            ? Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".config")
            : Path.of(config);
    return base.resolve("convoke").resolve("login.json");
  }

  /**
   * What is stored; empty if nothing is.
   *
   * @throws IOException if the file is not one of ours, or others may read it
   */
  static Optional<StoredLogin> read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    if (posix(file) && !OWNER.containsAll(Files.getPosixFilePermissions(file))) {
      throw new IOException(
          "others may read %s, which holds a key: chmod 600 it, or log in again".formatted(file));
    }
    try {
      JsonNode stored = JSON.readTree(Files.readString(file));
      return Optional.of(
          new StoredLogin(
              URI.create(stored.path("url").asString()), stored.path("key").asString()));
    } catch (JacksonException | IllegalArgumentException _) {
      throw new IOException(file + " is damaged: log in again");
    }
  }

  /**
   * Stores it; the file never exists with more permissions than its owner's. Of logins at the same
   * time the last one stays, as a whole.
   *
   * @throws IOException that names the file
   */
  void write(Path file) throws IOException {
    try {
      store(file);
    } catch (IOException e) {
      throw new IOException("cannot store the login in %s: %s".formatted(file, reason(e)), e);
    }
  }

  /**
   * Deletes what is stored, if anything is.
   *
   * @throws IOException that names the file
   */
  static void delete(Path file) throws IOException {
    try {
      boolean _ = Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new IOException("cannot delete the login in %s: %s".formatted(file, reason(e)), e);
    }
  }

  /** Why: the message of some of Java's exceptions is the name of the file alone. */
  private static String reason(IOException failure) {
    return switch (failure) {
      case AccessDeniedException _ -> "access denied";
      case FileAlreadyExistsException _ -> "a file is in the place of the folder";
      case FileSystemException other ->
          Optional.ofNullable(other.getReason()).orElseGet(other::toString);
      default -> failure.toString();
    };
  }

  private void store(Path file) throws IOException {
    Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
    // A name of its own: another login may be stored at the same time.
    Path fresh =
        posix(folder)
            ? Files.createTempFile(
                folder, "login", ".new", PosixFilePermissions.asFileAttribute(OWNER))
            : Files.createTempFile(folder, "login", ".new");
    try {
      String text = JSON.writeValueAsString(Map.of("url", url.toString(), "key", key)) + "\n";
      Path _ = Files.writeString(fresh, text);
      Path _ = Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      boolean _ = Files.deleteIfExists(fresh);
    }
  }

  private static boolean posix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "login at " + url;
  }
}
