package io.convoke.release;

import io.convoke.release.docs.DocsCommand;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code ./convoke release}: makes everything that is released of the build beside it. Prints a
 * line with name and size of each file.
 */
final class Main {
  private static final String USAGE =
      """
      Usage: ./convoke release [--learn] [FOLDER]
        FOLDER    where the files go; target/release by default. What an earlier release left
                  there is deleted, and nothing else
        --learn   first starts a server and writes which classes it loads into the sources,
                  for starts of released servers to be quick; commit that list
      Files have the time of the commit, or of SOURCE_DATE_EPOCH if that is set.
      """;

  /** The file with the checksums of the others. */
  private static final String SUMS = "SHA256SUMS";

  private static final Pattern RELEASED =
      Pattern.compile("convoke-(server|agent|pod|cli|docs)[-_]\\d.+\\.(tar\\.gz|deb|cdx\\.json)");

  /** The folder of the documentation site. */
  private static final String DOCS = "docs";

  private final Path home;
  private final Path folder;
  private final Release release;
  private final JavaRuntime javaRuntime = new JavaRuntime(Path.of(System.getProperty("java.home")));

  private Main(Path home, Path folder, Release release) {
    this.home = home;
    this.folder = folder;
    this.release = release;
  }

  /** Arguments: the project's folder, its version, the time in seconds since 1970, and a folder. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length != 4 || arguments[3].startsWith("-")) {
      System.err.print(USAGE);
      System.exit(2);
    }
    Instant time = Instant.ofEpochSecond(Long.parseLong(arguments[2]));
    new Main(Path.of(arguments[0]), Path.of(arguments[3]), Release.here(arguments[1], time)).make();
  }

  private void make() throws IOException, InterruptedException {
    Path _ = Files.createDirectories(folder);
    removeEarlier(folder);
    // Not in the folder of the caller: a dump of classes in a path with a space has other bytes.
    Path work = Files.createTempDirectory("convoke-release");
    Path site = work.resolve(DOCS);
    List<Path> made = new ArrayList<>(List.of(docs(site)));
    for (Product product : Product.ALL) {
      made.addAll(make(product, site, Files.createDirectories(work.resolve(product.name()))));
    }
    remove(work);
    Map<String, String> sums = new TreeMap<>();
    for (Path file : made) {
      sums.put(file.getFileName().toString(), DebianPackage.hash("SHA-256", file));
    }
    Path _ =
        Files.writeString(
            folder.resolve(SUMS),
            sums.entrySet().stream()
                .map(it -> it.getValue() + "  " + it.getKey() + "\n")
                .collect(Collectors.joining()));
    for (Path file : made) {
      System.out.printf("%s %d KB%n", file.getFileName(), Files.size(file) / 1000);
    }
  }

  /** The documentation site, which also comes into the server's archive. */
  private Path docs(Path site) throws IOException {
    int _ = DocsCommand.write(home, site);
    String name = "convoke-docs-" + release.version();
    Path archive = folder.resolve(name + ".tar.gz");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(archive))) {
      FolderArchive.write(site, name, release.time(), out);
    }
    return archive;
  }

  private List<Path> make(Product product, Path site, Path work)
      throws IOException, InterruptedException {
    List<Library> libraries = Library.of(home, product);
    Path bill = folder.resolve(release.archive(product) + ".cdx.json");
    BillOfMaterials.write(product, release, libraries, bill);
    Path unpacked = work.resolve(release.archive(product));
    unpack(product, libraries, bill, unpacked);
    if (product.equals(Product.SERVER)) {
      copy(site, unpacked.resolve(DOCS));
      FolderArchive.stamp(unpacked, release.time());
    }
    List<Path> made = new ArrayList<>(List.of(bill));
    Path archive = folder.resolve(release.archive(product) + ".tar.gz");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(archive))) {
      FolderArchive.write(unpacked, release.archive(product), release.time(), out);
    }
    made.add(archive);
    if (product.debian()) {
      DebianPackage debian = new DebianPackage(product, release);
      Path file = folder.resolve(debian.fileName());
      debian.write(unpacked, work.resolve("debian"), file);
      made.add(file);
    }
    return made;
  }

  /** Lays out a product's files as the archive has them, class data last. */
  private void unpack(Product product, List<Library> libraries, Path bill, Path unpacked)
      throws IOException, InterruptedException {
    Path lib = Files.createDirectories(unpacked.resolve("lib"));
    for (Library library : libraries) {
      Path _ = Files.copy(library.jar(), lib.resolve(library.fileName()));
    }
    Path _ =
        Files.writeString(
            unpacked.resolve(Launcher.CLASS_PATH),
            libraries.stream().map(it -> it.fileName() + "\n").collect(Collectors.joining()));
    Path bin = Files.createDirectories(unpacked.resolve("bin"));
    Path script = bin.resolve(product.launcher());
    Path _ = Files.writeString(script, Launcher.script(product));
    DebianPackage.executable(script);
    Path _ = Files.copy(bill, unpacked.resolve("sbom.cdx.json"));
    Path _ = Files.writeString(unpacked.resolve("VERSION"), release.version() + "\n");
    Path _ = Files.copy(home.resolve("LICENSE"), unpacked.resolve("LICENSE"));
    if (product.service().isPresent()) {
      Path conf = Files.createDirectories(unpacked.resolve("conf"));
      String name = product.service().get() + ".env";
      Path _ = Files.writeString(conf.resolve(name + ".example"), Launcher.resource(name));
    }
    javaRuntime.link(product, unpacked.resolve("runtime"));
    FolderArchive.stamp(unpacked, release.time());
    javaRuntime.archiveClasses(unpacked, classes(product, unpacked));
    FolderArchive.stamp(unpacked, release.time());
  }

  /** Which classes a start of a product loads; for small programs those of the JDK must do. */
  private Path classes(Product product, Path unpacked) throws IOException {
    if (!product.equals(Product.SERVER)) {
      return unpacked.resolve("runtime/lib/classlist");
    }
    return Files.writeString(
        unpacked.resolveSibling("classes.list"), Launcher.resource("classes.list"));
  }

  private static void copy(Path from, Path to) throws IOException {
    for (Path path : FolderArchive.sorted(from)) {
      Path _ = Files.copy(path, to.resolve(from.relativize(path).toString()));
    }
  }

  /** Deletes the files of an earlier release; the folder may have other ones, which stay. */
  static void removeEarlier(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(Main::isReleased).toList()) {
        Files.delete(file);
      }
    }
  }

  private static boolean isReleased(Path file) {
    String name = file.getFileName().toString();
    return Files.isRegularFile(file) && (name.equals(SUMS) || RELEASED.matcher(name).matches());
  }

  private static void remove(Path folder) throws IOException {
    if (Files.exists(folder)) {
      for (Path path : FolderArchive.sorted(folder).reversed()) {
        Files.delete(path);
      }
    }
  }
}
