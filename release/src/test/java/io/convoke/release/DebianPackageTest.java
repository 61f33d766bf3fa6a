package io.convoke.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What packages hold; {@code ReleaseTest} installs them. */
class DebianPackageTest {
  private static final Release RELEASE =
      new Release("1.2.0-SNAPSHOT", Instant.ofEpochSecond(1_700_000_000), "linux", "x86_64");

  @TempDir Path folder;

  @Test
  void commandsHaveNoServiceNoUserAndNoSettings() throws IOException {
    Map<String, Map<String, String>> parts = read(write(Product.CLI, "one"));
    assertThat(Objects.requireNonNull(parts.get("control.tar.gz")).get("./control"))
        .startsWith("Package: convoke-cli\nVersion: 1.2.0~SNAPSHOT\nArchitecture: amd64\n")
        .contains("\nDepends: libc6 (>= 2.28)\nSection: net\n")
        .endsWith("\n Runs with a Java runtime of its own.\n")
        .doesNotContain("adduser", "systemd", "/etc");
    assertThat(Objects.requireNonNull(parts.get("control.tar.gz")))
        .containsOnlyKeys("./", "./control", "./md5sums");
    assertThat(parts.get("data.tar.gz"))
        .containsEntry("./usr/bin/convoke-cli", "-> ../lib/convoke/cli/bin/convoke-cli")
        .containsEntry("./usr/lib/convoke/cli/bin/convoke-cli", "the launcher")
        .containsKey("./usr/share/doc/convoke-cli/copyright")
        .allSatisfy((name, _) -> assertThat(name).doesNotContain("/etc", "systemd"));
  }

  @Test
  void aServiceHasAUnitAUserAndSettings() throws IOException {
    Map<String, Map<String, String>> parts = read(write(Product.SERVER, "one"));
    assertThat(Objects.requireNonNull(parts.get("control.tar.gz")))
        .containsEntry("./conffiles", "/etc/convoke/convoke.env\n")
        .containsKeys("./postinst", "./prerm", "./postrm");
    assertThat(Objects.requireNonNull(parts.get("control.tar.gz")).get("./control"))
        .contains("\nDepends: adduser, libc6 (>= 2.28)\nRecommends: systemd\nSection: net\n")
        .endsWith("own. Settings are in /etc/convoke/convoke.env.\n");
    assertThat(parts.get("data.tar.gz"))
        .containsKeys("./etc/convoke/convoke.env", "./usr/lib/systemd/system/convoke.service");
  }

  /** A folder that systemd deletes at a stop would be taken from bots that live on. */
  @Test
  void theTemporaryFilesOfTheServerOutliveIt() throws IOException {
    Map<String, String> server =
        Objects.requireNonNull(read(write(Product.SERVER, "one")).get("data.tar.gz"));
    assertThat(server.get("./usr/lib/systemd/system/convoke.service"))
        .contains(
            "\nKillMode=process\n",
            "\nStateDirectory=convoke convoke/tmp\nStateDirectoryMode=0700\n",
            "\nBindPaths=/var/lib/convoke/tmp:/tmp /var/lib/convoke/tmp:/var/tmp\n")
        .doesNotContain("\nPrivateTmp=");
    assertThat(server.get("./usr/lib/tmpfiles.d/convoke.conf"))
        .contains("\ne /var/lib/convoke/tmp - - - 10d\n");
    assertThat(read(write(Product.POD, "other")).get("data.tar.gz"))
        .hasEntrySatisfying(
            "./usr/lib/systemd/system/convoke-pod.service",
            unit -> assertThat(unit).contains("\nKillMode=mixed\n", "\nPrivateTmp=yes\n"))
        .doesNotContainKey("./usr/lib/tmpfiles.d/convoke.conf");
  }

  @Test
  void theSameFilesAreTheSamePackage() throws IOException {
    assertThat(write(Product.CLI, "one")).hasSameBinaryContentAs(write(Product.CLI, "other"));
  }

  private Path write(Product product, String name) throws IOException {
    Path unpacked = Files.createDirectories(folder.resolve(name).resolve("unpacked"));
    Path bin = Files.createDirectories(unpacked.resolve("bin"));
    Path launcher = Files.writeString(bin.resolve(product.launcher()), "the launcher");
    DebianPackage.executable(launcher);
    DebianPackage debian = new DebianPackage(product, RELEASE);
    Path file = folder.resolve(name).resolve(debian.fileName());
    debian.write(unpacked, folder.resolve(name).resolve("work"), file);
    return file;
  }

  /** The texts of the files in each part; of links, where they lead. */
  private static Map<String, Map<String, String>> read(Path file) throws IOException {
    Map<String, Map<String, String>> parts = new TreeMap<>();
    try (ArArchiveInputStream ar = new ArArchiveInputStream(Files.newInputStream(file))) {
      for (ArArchiveEntry part = ar.getNextEntry(); part != null; part = ar.getNextEntry()) {
        byte[] bytes = ar.readAllBytes();
        parts.put(
            part.getName(),
            part.getName().endsWith(".tar.gz")
                ? texts(bytes)
                : Map.of("", new String(bytes, Launcher.UTF_8)));
      }
    }
    assertThat(parts.get("debian-binary")).containsEntry("", "2.0\n");
    return parts;
  }

  private static Map<String, String> texts(byte[] bytes) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(bytes)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        texts.put(
            entry.getName(),
            entry.isSymbolicLink()
                ? "-> " + entry.getLinkName()
                : new String(tar.readAllBytes(), Launcher.UTF_8));
      }
    }
    return texts;
  }
}
