package io.convoke.server.launch.docker;

import io.convoke.fakes.docker.ImageTarWriter;
import io.convoke.fakes.vexa.FakeVexaBot;
import io.convoke.server.launch.process.BotCommandLine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * An image with a small Java runtime, the reference bot and the fake of Vexa's bot, built from the
 * test class path: no registry, no base image.
 */
public final class JavaImage {
  public static final String REFERENCE = "convoke-reference-bot:test";
  public static final String VEXA = "vexa-stand-in:test";

  private JavaImage() {}

  /** Gives both images to an engine. */
  public static void giveTo(TestDockerEngine engine, Path folder) throws IOException {
    Path file = folder.resolve("java.tar");
    String classPath;
    try (ImageTarWriter tar = new ImageTarWriter(file)) {
      tar.java();
      classPath = tar.classPath(entries());
      tar.folder("tmp");
    }
    engine.importImage(file, REFERENCE, command(classPath, "io.convoke.agent.ReferenceBot"));
    engine.importImage(file, VEXA, command(classPath, FakeVexaBot.class.getName(), "0.9"));
  }

  private static List<String> command(String classPath, String... main) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "/java/bin/java",
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath));
    command.addAll(List.of(main));
    return command;
  }

  /** The class path of the reference bot, and the location of the fake. */
  private static List<Path> entries() {
    List<String> line = BotCommandLine.reference().line();
    return Stream.concat(
            Stream.of(line.get(line.indexOf("-cp") + 1).split(File.pathSeparator, -1)),
            Stream.of(
                FakeVexaBot.class.getProtectionDomain().getCodeSource().getLocation().getPath()))
        .map(Path::of)
        .toList();
  }
}
