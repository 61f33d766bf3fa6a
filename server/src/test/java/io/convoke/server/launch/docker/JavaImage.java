package io.convoke.server.launch.docker;

import io.convoke.lab.vexa.VexaBot;
import io.convoke.server.launch.process.BotCommand;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * An image with a small Java, the reference bot and the stand-in for Vexa's bot, made of what the
 * tests run with: no registry, no base image.
 */
public final class JavaImage {
  public static final String REFERENCE = "convoke-reference-bot:test";
  public static final String VEXA = "vexa-stand-in:test";

  private static final String MODULES =
      "java.base,java.net.http,java.logging,java.xml,java.naming,java.management,jdk.unsupported";

  /** What ldd names: the library files that a program is linked with. */
  private static final Pattern LIBRARY = Pattern.compile("(?m)(?:=> |^\\s+)(/\\S+)");

  private JavaImage() {}

  /** Gives both images to an engine. */
  public static void giveTo(TestEngine engine, Path folder) throws IOException {
    Path java = folder.resolve("java");
    String _ =
        run(
            Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
            "--add-modules",
            MODULES,
            "--strip-debug",
            "--no-man-pages",
            "--no-header-files",
            "--output",
            java.toString());
    List<String> classPath = new ArrayList<>();
    Path file = folder.resolve("java.tar");
    try (OutputStream out = Files.newOutputStream(file);
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out)) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      tree(tar, java, "java");
      for (Path library : libraries(java)) {
        file(tar, library, library.toString().substring(1));
      }
      for (String entry : entries()) {
        String name = "app/" + classPath.size();
        if (Files.isDirectory(Path.of(entry))) {
          tree(tar, Path.of(entry), name);
        } else {
          name += ".jar";
          file(tar, Path.of(entry), name);
        }
        classPath.add("/" + name);
      }
      TarArchiveEntry temporary = new TarArchiveEntry("tmp/");
      tar.putArchiveEntry(temporary);
      tar.closeArchiveEntry();
    }
    engine.importImage(file, REFERENCE, command(classPath, "io.convoke.agent.ReferenceBot"));
    engine.importImage(file, VEXA, command(classPath, VexaBot.class.getName(), "0.9"));
  }

  private static List<String> command(List<String> classPath, String... main) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "/java/bin/java",
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                String.join(":", classPath)));
    command.addAll(List.of(main));
    return command;
  }

  /** The class path of the reference bot, and where the stand-in is. */
  private static List<String> entries() {
    List<String> line = BotCommand.reference().line();
    List<String> entries =
        new ArrayList<>(List.of(line.get(line.indexOf("-cp") + 1).split(File.pathSeparator, -1)));
    entries.add(VexaBot.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    return entries;
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
          .matcher(run("ldd", program.toString()))
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
      file(tar, file, name + "/" + folder.relativize(file));
    }
  }

  private static void file(TarArchiveOutputStream tar, Path file, String name) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setMode(0755);
    entry.setSize(Files.size(file));
    tar.putArchiveEntry(entry);
    Files.copy(file, tar);
    tar.closeArchiveEntry();
  }

  private static String run(String... line) throws IOException {
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    try (var output = process.inputReader()) {
      String printed = String.join("\n", output.readAllLines());
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(line[0] + " ended with " + code + ": " + printed);
      }
      return printed;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
