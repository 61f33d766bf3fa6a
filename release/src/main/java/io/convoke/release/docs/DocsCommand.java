package io.convoke.release.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** {@code ./convoke docs}: writes the documentation site of a checkout into a folder. */
public final class DocsCommand {
  private DocsCommand() {}

  /** Arguments: the project's folder, and the folder of the site. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2 || arguments[1].startsWith("-")) {
      System.err.println("Usage: ./convoke docs [FOLDER]   (target/docs-site)");
      System.exit(2);
    }
    try {
      int files = write(Path.of(arguments[0]), Path.of(arguments[1]));
      System.out.println(files + " files in " + arguments[1]);
    } catch (BrokenLinks e) {
      System.err.println("convoke: " + e.getMessage());
      System.exit(1);
    }
  }

  /** Writes the site; returns the number of its files. */
  public static int write(Path home, Path folder) throws IOException {
    Map<String, byte[]> site = DocsSite.of(new SiteSources(home));
    for (Map.Entry<String, byte[]> file : site.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Path _ = Files.createDirectories(path.getParent());
      Path _ = Files.write(path, file.getValue());
    }
    return site.size();
  }
}
