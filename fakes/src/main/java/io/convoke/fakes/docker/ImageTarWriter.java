package io.convoke.fakes.docker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** Writes the files of an image into one tar, from files of this machine, without a base image. */
public final class ImageTarWriter implements AutoCloseable {
  private static final List<String> SHELLS = List.of("/bin/busybox", "/usr/bin/busybox");
  private static final String MODULES =
      "java.base,java.net.http,java.logging,java.xml,java.naming,java.management,jdk.unsupported";

  /** What ldd names: the library files that a program is linked with. */
  private static final Pattern LIBRARY = Pattern.compile("(?m)(?:=> |^\\s+)(/\\S+)");

  private final Path file;
  private final TarArchiveOutputStream tar;
  private final Set<String> folders = new HashSet<>();

  /** Begins a tar in this file. */
  public ImageTarWriter(Path file) throws IOException {
    this.file = file;
    this.tar = new TarArchiveOutputStream(Files.newOutputStream(file));
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
  }

  /** A small Java as {@code /java}, with the machine's libraries that it is linked with. */
  public void java() throws IOException {
    Path java = file.resolveSibling(file.getFileName() + "-java");
    String _ =
        CommandRunner.run(
            Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
            "--add-modules",
            MODULES,
            "--strip-debug",
            "--no-man-pages",
            "--no-header-files",
            "--output",
            java.toString());
    put(java, "java");
    for (Path library : libraries(java)) {
      put(library, library.toString().substring(1));
    }
  }

  /** Jars and folders of classes under {@code /app}; answers the class path inside the image. */
  public String classPath(List<Path> entries) throws IOException {
    List<String> inside = new ArrayList<>();
    for (Path entry : entries) {
      String name = "app/" + inside.size() + (Files.isDirectory(entry) ? "" : ".jar");
      put(entry, name);
      inside.add("/" + name);
    }
    return String.join(":", inside);
  }

  /** A shell that needs no libraries, under the names of what it can. */
  public void shell(String... applets) throws IOException {
    folder("bin");
    put(shell().orElseThrow(), "bin/busybox");
    for (String applet : applets) {
      TarArchiveEntry link = new TarArchiveEntry("bin/" + applet, TarArchiveEntry.LF_SYMLINK);
      link.setLinkName("busybox");
      tar.putArchiveEntry(link);
      tar.closeArchiveEntry();
    }
  }

  /** A script, which may be run. */
  public void script(String name, String text) throws IOException {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    begin(name, content.length);
    tar.write(content);
    tar.closeArchiveEntry();
  }

  /** A folder that every user may read; the engine gives unnamed ones to root alone. */
  public void folder(String name) throws IOException {
    if (folders.add(name)) {
      TarArchiveEntry entry = new TarArchiveEntry(name + "/");
      entry.setMode(name.equals("tmp") ? 01777 : 0755);
      tar.putArchiveEntry(entry);
      tar.closeArchiveEntry();
    }
  }

  @Override
  public void close() throws IOException {
    tar.close();
  }

  /** The shell of this machine that an image can have. */
  static Optional<Path> shell() {
    return SHELLS.stream().map(Path::of).filter(Files::isExecutable).findFirst();
  }

  private void put(Path from, String name) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path one : files) {
      begin(one.equals(from) ? name : name + "/" + from.relativize(one), Files.size(one));
      Files.copy(one, tar);
      tar.closeArchiveEntry();
    }
  }

  private void begin(String name, long size) throws IOException {
    for (int end = name.indexOf('/'); end > 0; end = name.indexOf('/', end + 1)) {
      folder(name.substring(0, end));
    }
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setMode(0755);
    entry.setSize(size);
    tar.putArchiveEntry(entry);
  }

  private static Iterable<Path> libraries(Path java) throws IOException {
    TreeSet<Path> libraries = new TreeSet<>();
    List<Path> programs = new ArrayList<>(List.of(java.resolve("bin/java")));
    try (Stream<Path> files = Files.walk(java.resolve("lib"))) {
      files.filter(file -> file.toString().endsWith(".so")).forEach(programs::add);
    }
    for (Path program : programs) {
      LIBRARY
          .matcher(CommandRunner.run("ldd", program.toString()))
          .results()
          .map(found -> Path.of(found.group(1)))
          .filter(library -> !library.startsWith(java))
          .forEach(libraries::add);
    }
    return libraries;
  }
}
