package io.convoke.release;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveOutputStream;

/**
 * A product as a package of Debian: the unpacked product under {@code /usr/lib/convoke} and its
 * launcher on the path; for a service also a unit of systemd, its user, and settings that {@code
 * dpkg} asks about before it changes them. Written here, because {@code dpkg-deb} is not
 * everywhere.
 */
final class DebianPackage {
  private static final List<String> SCRIPTS = List.of("postinst", "prerm", "postrm");

  private final Product product;
  private final Release release;

  DebianPackage(Product product, Release release) {
    this.product = product;
    this.release = release;
  }

  /** The version in Debian's order, in which a tilde comes before the end. */
  private String version() {
    return release.version().replace("-", "~");
  }

  String fileName() {
    return product.artifact() + "_" + version() + "_" + release.debianArchitecture() + ".deb";
  }

  /**
   * Writes the package.
   *
   * @param unpacked the product's files
   * @param work an empty folder
   */
  void write(Path unpacked, Path work, Path file) throws IOException {
    Path data = Files.createDirectories(work.resolve("data"));
    layOut(unpacked, data);
    Path control = Files.createDirectories(work.resolve("control"));
    writeControl(data, control);
    try (OutputStream out = Files.newOutputStream(file);
        ArArchiveOutputStream ar = new ArArchiveOutputStream(out)) {
      add(ar, "debian-binary", "2.0\n".getBytes(Launcher.UTF_8));
      add(ar, "control.tar.gz", tar(control));
      add(ar, "data.tar.gz", tar(data));
    }
  }

  private void layOut(Path unpacked, Path data) throws IOException {
    Path home = data.resolve("usr/lib/convoke").resolve(product.name());
    for (Path file : FolderArchive.sorted(unpacked)) {
      Path target = home.resolve(unpacked.relativize(file).toString());
      if (Files.isDirectory(file)) {
        Path _ = Files.createDirectories(target);
      } else {
        Path _ = Files.createLink(target, file);
      }
    }
    Path bin = Files.createDirectories(data.resolve("usr/bin"));
    Path _ =
        Files.createSymbolicLink(
            bin.resolve(product.launcher()),
            Path.of("../lib/convoke", product.name(), "bin", product.launcher()));
    text(
        data.resolve("usr/share/doc").resolve(product.artifact()).resolve("copyright"),
        "copyright");
    if (product.service().isPresent()) {
      String service = product.service().get();
      text(
          data.resolve("usr/lib/systemd/system").resolve(service + ".service"),
          service + ".service");
      text(data.resolve("etc/convoke").resolve(service + ".env"), service + ".env");
    }
    if (product.equals(Product.SERVER)) {
      text(data.resolve("usr/lib/tmpfiles.d/convoke.conf"), "tmpfiles.conf");
    }
  }

  private void writeControl(Path data, Path control) throws IOException {
    StringBuilder sums = new StringBuilder();
    long bytes = 0;
    for (Path file : FolderArchive.sorted(data)) {
      if (Files.isRegularFile(file) && !Files.isSymbolicLink(file)) {
        bytes += Files.size(file);
        sums.append(md5(file)).append("  ").append(data.relativize(file)).append('\n');
      }
    }
    Path _ = Files.writeString(control.resolve("md5sums"), sums);
    Path _ = Files.writeString(control.resolve("control"), about(bytes));
    if (product.service().isPresent()) {
      String settings = "/etc/convoke/" + product.service().get() + ".env\n";
      Path _ = Files.writeString(control.resolve("conffiles"), settings);
      for (String script : SCRIPTS) {
        Path file = control.resolve(script);
        text(file, script + ".sh");
        executable(file);
      }
    }
  }

  private String about(long bytes) {
    String depends = "Depends: libc6 (>= 2.28)\n";
    String settings = "";
    if (product.service().isPresent()) {
      depends = "Depends: adduser, libc6 (>= 2.28)\nRecommends: systemd\n";
      settings = " Settings are in /etc/convoke/" + product.service().get() + ".env.";
    }
    return """
        Package: %s
        Version: %s
        Architecture: %s
        Maintainer: The Convoke authors <convoke@localhost>
        Installed-Size: %d
        %sSection: net
        Priority: optional
        Description: %s
         Runs with a Java runtime of its own.%s
        """
        .formatted(
            product.artifact(),
            version(),
            release.debianArchitecture(),
            bytes / 1024,
            depends,
            product.description(),
            settings);
  }

  private void text(Path file, String resource) throws IOException {
    Path _ = Files.createDirectories(file.resolveSibling("."));
    Path _ =
        Files.writeString(
            file,
            Launcher.resource(resource)
                .replace("@SERVICE@", product.service().orElse(product.launcher()))
                .replace("@PRODUCT@", product.name()));
  }

  static void executable(Path file) throws IOException {
    if (!file.toFile().setExecutable(true, false)) {
      throw new IOException(file + " cannot be made executable");
    }
  }

  private byte[] tar(Path folder) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FolderArchive.write(folder, ".", release.time(), out);
    return out.toByteArray();
  }

  private void add(ArArchiveOutputStream ar, String name, byte[] bytes) throws IOException {
    Instant time = release.time();
    ar.putArchiveEntry(
        new ArArchiveEntry(name, bytes.length, 0, 0, 0100644, time.getEpochSecond()));
    ar.write(bytes);
    ar.closeArchiveEntry();
  }

  private static String md5(Path file) throws IOException {
    return hash("MD5", file);
  }

  /** The hash of a file in hexadecimal digits. */
  static String hash(String algorithm, Path file) throws IOException {
    try (DigestInputStream in =
        new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance(algorithm))) {
      long _ = in.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(in.getMessageDigest().digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + algorithm, e);
    }
  }
}
