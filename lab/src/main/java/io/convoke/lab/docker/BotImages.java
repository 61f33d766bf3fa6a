package io.convoke.lab.docker;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * Files for an image: a small Java, what the reference bot needs of our own class path, a static
 * shell, and a script that the image runs.
 */
public final class BotImages {
  private static final List<String> SHELLS = List.of("/bin/busybox", "/usr/bin/busybox");
  private static final List<String> APPLETS = List.of("sh", "sleep", "sed", "tail");
  private static final String MODULES =
      "java.base,java.net.http,java.logging,java.xml,java.naming,java.management,jdk.unsupported";

  /** Jars and folders of classes that the reference bot needs. */
  private static final Pattern NEEDED =
      Pattern.compile(
          "convoke-(?:engine|agent).*|.*/(?:engine|agent)/target/classes"
              + "|jackson-(?!(?:core|databind)-2).*|lettuce-.*|redis-authx.*|netty-.*|reactor-.*"
              + "|reactive-streams.*|slf4j-api.*|logback-.*|jspecify.*");

  /** What ldd names: the library files that a program is linked with. */
  private static final Pattern LIBRARY = Pattern.compile("(?m)(?:=> |^\\s+)(/\\S+)");

  private BotImages() {}

  /**
   * Writes the tar.
   *
   * @param classPath whose jars are looked through
   * @param script made with the class path inside the image; the image's {@code /bot}
   */
  public static Path write(
      Path folder, String classPath, java.util.function.UnaryOperator<String> script)
      throws IOException {
    Path java = folder.resolve("java");
    String _ =
        Tools.run(
            Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
            "--add-modules",
            MODULES,
            "--strip-debug",
            "--no-man-pages",
            "--no-header-files",
            "--output",
            java.toString());
    Path file = folder.resolve("bot.tar");
    List<String> inside = new ArrayList<>();
    try (OutputStream out = Files.newOutputStream(file);
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out)) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      tree(tar, java, "java");
      for (Path library : libraries(java)) {
        put(tar, library, library.toString().substring(1));
      }
      for (Path entry : needed(classPath)) {
        String name = "app/" + inside.size() + (Files.isDirectory(entry) ? "" : ".jar");
        if (Files.isDirectory(entry)) {
          tree(tar, entry, name);
        } else {
          put(tar, entry, name);
        }
        inside.add("/" + name);
      }
      put(tar, shell().orElseThrow(), "bin/busybox");
      for (String applet : APPLETS) {
        TarArchiveEntry link = new TarArchiveEntry("bin/" + applet, TarArchiveEntry.LF_SYMLINK);
        link.setLinkName("busybox");
        tar.putArchiveEntry(link);
        tar.closeArchiveEntry();
      }
      byte[] text = script.apply(String.join(":", inside)).getBytes(StandardCharsets.UTF_8);
      TarArchiveEntry bot = new TarArchiveEntry("bot");
      bot.setMode(0755);
      bot.setSize(text.length);
      tar.putArchiveEntry(bot);
      tar.write(text);
      tar.closeArchiveEntry();
      tar.putArchiveEntry(new TarArchiveEntry("tmp/"));
      tar.closeArchiveEntry();
    }
    return file;
  }

  /** A shell that needs no libraries. */
  static Optional<Path> shell() {
    return SHELLS.stream().map(Path::of).filter(Files::isExecutable).findFirst();
  }

  private static List<Path> needed(String classPath) {
    return Stream.of(classPath.split(Pattern.quote(File.pathSeparator), -1))
        .map(Path::of)
        .filter(
            entry ->
                NEEDED.matcher(String.valueOf(entry.getFileName())).matches()
                    || NEEDED.matcher(entry.toString()).matches())
        .filter(Files::exists)
        .toList();
  }

  /** The machine's own libraries that this Java is linked with. */
  private static Iterable<Path> libraries(Path java) throws IOException {
    TreeSet<Path> libraries = new TreeSet<>();
    List<Path> programs = new ArrayList<>(List.of(java.resolve("bin/java")));
    try (Stream<Path> files = Files.walk(java.resolve("lib"))) {
      files.filter(file -> file.toString().endsWith(".so")).forEach(programs::add);
    }
    for (Path program : programs) {
      LIBRARY
          .matcher(Tools.run("ldd", program.toString()))
          .results()
          .map(found -> Path.of(found.group(1)))
          .filter(library -> !library.startsWith(java))
          .forEach(libraries::add);
    }
    return libraries;
  }

  private static void tree(TarArchiveOutputStream tar, Path folder, String name)
      throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      put(tar, file, name + "/" + folder.relativize(file));
    }
  }

  private static void put(TarArchiveOutputStream tar, Path file, String name) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setMode(0755);
    entry.setSize(Files.size(file));
    tar.putArchiveEntry(entry);
    Files.copy(file, tar);
    tar.closeArchiveEntry();
  }
}
