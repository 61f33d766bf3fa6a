package io.convoke.fakes.docker;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** An image with the reference bot of this class path and a start script. */
public final class BotImageBuilder {
  /** Jars and folders of classes that the reference bot needs. */
  private static final Pattern NEEDED =
      Pattern.compile(
          "convoke-(?:engine|agent).*|.*/(?:engine|agent)/target/classes"
              + "|jackson-(?!(?:core|databind)-2).*|lettuce-.*|redis-authx.*|netty-.*|reactor-.*"
              + "|reactive-streams.*|slf4j-api.*|logback-.*|jspecify.*");

  private BotImageBuilder() {}

  /**
   * Writes the tar.
   *
   * @param classPath whose jars are looked through
   * @param script made with the class path inside the image; the image's {@code /bot}
   */
  public static Path write(Path folder, String classPath, UnaryOperator<String> script)
      throws IOException {
    Path file = folder.resolve("bot.tar");
    try (ImageTarWriter tar = new ImageTarWriter(file)) {
      tar.java();
      tar.shell("sh", "sleep", "sed", "tail");
      tar.script("bot", script.apply(tar.classPath(needed(classPath))));
      tar.folder("tmp");
    }
    return file;
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
}
