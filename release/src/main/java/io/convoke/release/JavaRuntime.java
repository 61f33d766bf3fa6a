package io.convoke.release;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The tools of the JDK that make a product's Java and what makes its starts quick. */
final class JavaRuntime {
  /**
   * The memory of a dump: the same on each machine, because addresses follow from it, and so much
   * that nothing is collected before its end. When a collection comes is a matter of timing, and
   * the order of what it leaves is in the archive.
   */
  private static final List<String> MEMORY =
      List.of("-Xms1g", "-Xmx1g", "-Xmn700m", "-XX:MetaspaceSize=512m");

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
            "--output",
            folder.toString()));
  }

  /**
   * Writes the class data archive of an unpacked product: classes that a start loads, parsed and
   * verified. The JVM uses it while path, size and time of the jars are those of this folder, and
   * does without it otherwise.
   *
   * @param classes the list of classes
   */
  void archiveClasses(Product product, Path folder, Path classes)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add("runtime/bin/java");
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
    run(folder, command);
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
