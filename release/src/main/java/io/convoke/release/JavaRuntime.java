package io.convoke.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The tools of the JDK that make a product's Java and what makes its starts quick. */
final class JavaRuntime {
  /**
   * The memory of a dump: the same on each machine, because addresses follow from it, and so much
   * that nothing is collected before its end. When a collection comes is a matter of timing, and
   * the order of what it leaves is in the archive.
   */
  private static final List<String> MEMORY =
      List.of("-Xms1g", "-Xmx1g", "-Xmn700m", "-XX:MetaspaceSize=512m");

  private static final int COPIES_MAX = 10;

  private final Path jdk;

  JavaRuntime(Path jdk) {
    this.jdk = jdk;
  }

  /** Makes a runtime with a product's modules in this folder, which must not exist. */
  void link(Product product, Path folder) throws IOException, InterruptedException {
    run(
        folder.resolveSibling("."),
        List.of(
            jdk.resolve("bin/jlink").toString(),
            "--add-modules",
            String.join(",", product.modules()),
            "--compress",
            "zip-6",
            "--strip-java-debug-attributes",
            "--no-header-files",
            "--no-man-pages",
            // Debian's JDK has 760 MB of them.
            "--exclude-files=**.debuginfo",
            "--output",
            folder.toString()));
  }

  /**
   * Writes the class data archive of an unpacked product: classes that a start loads, parsed and
   * verified. The JVM uses it while path, size and time of the jars are those of this folder, and
   * does without it otherwise.
   *
   * <p>Java keeps open jars in a table by the numbers of their files, and what it did for
   * collisions in it shows in the archive. So the jars are copied, to get other numbers, until two
   * archives are equal: the one without such traces.
   *
   * @param classes the list of classes
   */
  void archiveClasses(Path folder, Path classes) throws IOException, InterruptedException {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < COPIES_MAX; i++) {
      Path copy = folder.resolveSibling("jars-" + i);
      Path archive = archived(folder, classes, copy);
      if (!seen.add(DebianPackage.hash("SHA-256", archive))) {
        Path _ = Files.move(archive, folder.resolve(Launcher.CLASSES));
        return;
      }
    }
    throw new IOException("no two of " + COPIES_MAX + " class data archives are equal");
  }

  /** The class data archive as a copy of the jars gives it. */
  private static Path archived(Path folder, Path classes, Path copy)
      throws IOException, InterruptedException {
    Path lib = Files.createDirectories(copy.resolve("lib"));
    for (Path jar : FolderArchive.sorted(folder.resolve("lib"))) {
      if (Files.isRegularFile(jar)) {
        Path _ =
            Files.copy(jar, lib.resolve(jar.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    List<String> command = new ArrayList<>();
    command.add(folder.resolve("runtime/bin/java").toAbsolutePath().toString());
    command.addAll(Launcher.OPTIONS);
    command.addAll(MEMORY);
    command.addAll(
        List.of(
            "-Xshare:dump",
            "-XX:SharedClassListFile=" + classes,
            "-XX:SharedArchiveFile=" + Launcher.CLASSES,
            "-Xlog:disable",
            "-Xlog:all=error:stderr",
            "-cp",
            String.join(":", Launcher.classPath(folder))));
    run(copy, command);
    return copy.resolve(Launcher.CLASSES);
  }

  private static void run(Path folder, List<String> command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), Launcher.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(command.getFirst() + " failed: " + output);
    }
  }
}
