package io.convoke.release;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The shell script in {@code bin/} that starts a product with the Java and libraries beside it. */
final class Launcher {
  static final Charset UTF_8 = StandardCharsets.UTF_8;

  /** Where the class data archive of a product is. */
  static final String CLASSES = "lib/classes.jsa";

  /** Where the names of the jars are, one a line, in the order of the class path. */
  static final String CLASS_PATH = "lib/classpath";

  /** Options of Java for every program, those of {@code ./convoke}. */
  static final List<String> OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:+UseCompactObjectHeaders",
          "-XX:+ExitOnOutOfMemoryError",
          "--enable-native-access=ALL-UNNAMED");

  private Launcher() {}

  /** The script of a product. */
  static String script(Product product) throws IOException {
    return resource("launcher.sh")
        .replace("@DESCRIPTION@", product.description())
        .replace("@LAUNCHER@", product.launcher())
        .replace("@SERVICE@", product.service().orElse(product.launcher()))
        .replace("@COMMANDS@", String.join(" ", product.commands()))
        .replace("@MAIN@", product.mainClass())
        .replace(
            "@OPTIONS@",
            Stream.concat(OPTIONS.stream(), product.options().stream())
                .collect(Collectors.joining(" ")));
  }

  /** The class path of an unpacked product, relative to its folder. */
  static List<String> classPath(Path folder) throws IOException {
    return Files.readAllLines(folder.resolve(CLASS_PATH)).stream().map("lib/"::concat).toList();
  }

  /** A text of this module. */
  static String resource(String name) throws IOException {
    try (InputStream in = Launcher.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("no resource " + name);
      }
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
