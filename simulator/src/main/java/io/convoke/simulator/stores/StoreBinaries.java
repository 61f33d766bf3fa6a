package io.convoke.simulator.stores;

import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.DebianPackages;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The servers' programs, unpacked once per user from the jars that carry them. Two processes that
 * unpack at the same time do no harm: each unpacks beside and moves into place.
 */
final class StoreBinaries {
  private static final String POSTGRES_VERSION = "18.6.0";
  private static final String REDIS_VERSION = "7.0.15";

  private StoreBinaries() {}

  /** The folder whose {@code bin} holds initdb and postgres. */
  static Path postgres() {
    return unpacked(
        "postgres-" + POSTGRES_VERSION,
        folder -> {
          try (InputStream archive = resource("/" + postgresArchive())) {
            untar(archive, folder);
          }
        });
  }

  /**
   * The same of another version, from a jar that is not on the class path: a class path holds one
   * version of an artifact. The name of the file says what is in it.
   */
  static Path postgres(Path jar) {
    String name = String.valueOf(jar.getFileName()).replace(".jar", "");
    return unpacked(
        name,
        folder -> {
          try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry entry = zip.getEntry(postgresArchive());
            if (entry == null) {
              throw new IOException("no Postgres for this platform in " + jar);
            }
            try (InputStream archive = zip.getInputStream(entry)) {
              untar(archive, folder);
            }
          }
        });
  }

  /** A redis-server: the machine's own if there is one on the path, else the one in the jar. */
  static Path redis() {
    Optional<Path> installed =
        Stream.of("redis-server", "valkey-server").flatMap(DebianPackages::onPath).findFirst();
    if (installed.isPresent()) {
      return installed.get();
    }
    String resource =
        "/redis-server-%s-%s-%s".formatted(REDIS_VERSION, os(), arm() ? "arm64" : "amd64");
    return unpacked(
            "redis-" + REDIS_VERSION,
            folder -> {
              Path program = folder.resolve("redis-server");
              try (InputStream in = resource(resource)) {
                Files.copy(in, program);
              }
              executable(program);
            })
        .resolve("redis-server");
  }

  /** A valkey-server, where the machine has one or Debian's packages bring it. */
  static Optional<Path> valkey() {
    Optional<Path> installed = DebianPackages.onPath("valkey-server").findFirst();
    return installed.isEmpty()
            && DebianPackages.known("valkey-server")
            && DebianPackages.ensure(
                () -> DebianPackages.onPath("valkey-server").findAny().isPresent(), "valkey-server")
        ? DebianPackages.onPath("valkey-server").findFirst()
        : installed;
  }

  private interface BinaryUnpacker {
    void into(Path folder) throws IOException;
  }

  private static Path unpacked(String name, BinaryUnpacker binaryUnpacker) {
    Path place = cache().resolve(name);
    if (Files.isDirectory(place)) {
      return place;
    }
    try {
      Files.createDirectories(cache());
      Path beside = Files.createTempDirectory(cache(), name);
      Files.setPosixFilePermissions(beside, PosixFilePermissions.fromString("rwxr-xr-x"));
      binaryUnpacker.into(beside);
      try {
        Files.move(beside, place, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileAlreadyExistsException | java.nio.file.DirectoryNotEmptyException e) {
        FolderOperations.delete(beside);
      }
      return place;
    } catch (IOException e) {
      if (Files.isDirectory(place)) {
        return place;
      }
      throw new ChildProcessException("cannot unpack " + name + " into " + cache(), e);
    }
  }

  private static Path cache() {
    String xdg = System.getenv("XDG_CACHE_HOME");
    Path base =
        xdg == null || xdg.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(xdg);
    return base.resolve("convoke");
  }

  private static String postgresArchive() {
    return "postgres-%s-%s.txz"
        .formatted(os().equals("darwin") ? "darwin" : "linux", arm() ? "arm_64" : "x86_64");
  }

  private static void untar(InputStream archive, Path folder) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(archive)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path target = folder.resolve(entry.getName()).normalize();
        if (!target.startsWith(folder)) {
          throw new IOException("an entry outside its archive: " + entry.getName());
        }
        if (entry.isDirectory()) {
          Files.createDirectories(target);
          continue;
        }
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
          Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
        } else {
          Files.copy(tar, target);
          if ((entry.getMode() & 0100) != 0) {
            executable(target);
          }
        }
      }
    }
  }

  private static InputStream resource(String name) {
    InputStream in = StoreBinaries.class.getResourceAsStream(name);
    if (in == null) {
      throw new ChildProcessException(
          "no embedded store for this platform (" + name + "); bring stores by URL instead");
    }
    return in;
  }

  private static void executable(Path program) throws IOException {
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static String os() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.contains("mac") ? "darwin" : "linux";
  }

  private static boolean arm() {
    String arch = System.getProperty("os.arch");
    return arch.equals("aarch64") || arch.equals("arm64");
  }
}
