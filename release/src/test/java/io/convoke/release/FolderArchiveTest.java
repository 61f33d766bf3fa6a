package io.convoke.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderArchiveTest {
  private static final Instant TIME = Instant.ofEpochSecond(1_700_000_000);
  @TempDir Path folder;

  @Test
  void theSameFilesAreTheSameBytesWhateverTheirTimesAndTheOrderTheyWereMadeIn() throws IOException {
    Path one = Files.createDirectory(folder.resolve("one"));
    Path other = Files.createDirectory(folder.resolve("other"));
    for (String name : List.of("b", "a", "c")) {
      Path _ = Files.writeString(one.resolve(name), "text of " + name);
    }
    for (String name : List.of("c", "b", "a")) {
      Path file = Files.writeString(other.resolve(name), "text of " + name);
      Path _ = Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
    }
    assertThat(archive(one)).isEqualTo(archive(other));
  }

  @Test
  void entriesHaveModeOwnerTimeAndTarget() throws IOException {
    Path program = Files.writeString(folder.resolve("program"), "#!/bin/sh\n");
    DebianPackage.executable(program);
    Path _ = Files.createSymbolicLink(folder.resolve("short"), Path.of("program"));
    String name = "n".repeat(200);
    Path _ = Files.writeString(folder.resolve(name), "");
    List<String> entries = new ArrayList<>();
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(archive(folder))))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        assertThat(entry.getLastModifiedTime().toInstant()).isEqualTo(TIME);
        assertThat(entry.getLongUserId()).isZero();
        entries.add(
            "%s %o %s".formatted(entry.getName(), entry.getMode() & 0777, entry.getLinkName()));
      }
    }
    assertThat(entries)
        .containsExactly(
            "root/ 755 ", "root/" + name + " 644 ", "root/program 755 ", "root/short 755 program");
  }

  private static byte[] archive(Path folder) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FolderArchive.write(folder, "root", TIME, out);
    return out.toByteArray();
  }
}
