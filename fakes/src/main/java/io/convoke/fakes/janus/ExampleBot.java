package io.convoke.fakes.janus;

import io.convoke.simulator.process.ClassPaths;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The bot of {@code examples/janus-bot}, compiled against the agent library of this build instead
 * of a published one.
 *
 * @param home folder of the sources
 * @param classPath its classes and libraries
 */
public record ExampleBot(Path home, String classPath) {
  private static final Path EXAMPLE = Path.of("examples", "janus-bot");

  /** The jars of the media library, one of them for this machine's system. */
  private static final String WEBRTC = "webrtc-java-";

  /** Why this machine cannot run the bot, if it cannot. */
  public static Optional<String> obstacle() {
    return webrtc().size() > 1
        ? Optional.empty()
        : Optional.of("webrtc-java has no library for this machine");
  }

  private static List<String> webrtc() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> new File(entry).getName().startsWith(WEBRTC))
        .toList();
  }

  /** Compiles the bot into a folder. */
  public static ExampleBot compiled(Path home, Path folder) throws IOException {
    String libraries =
        Stream.concat(
                webrtc().stream(), Stream.of(ClassPaths.listed("io.convoke.agent.ReferencePod")))
            .collect(Collectors.joining(File.pathSeparator));
    Path classes = Files.createDirectories(folder);
    List<String> arguments =
        new ArrayList<>(
            List.of("-nowarn", "-proc:none", "-d", classes.toString(), "-cp", libraries));
    try (Stream<Path> files = Files.walk(home.resolve(EXAMPLE).resolve("src/main/java"))) {
      files.map(Path::toString).filter(it -> it.endsWith(".java")).forEach(arguments::add);
    }
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException(EXAMPLE + " does not compile");
    }
    return new ExampleBot(home, classes + File.pathSeparator + libraries);
  }

  /** A value of {@code CONVOKE_BOT_COMMAND}, with the command of a transcriber of one speaker. */
  public String command(String transcriber) {
    return "JANUS_BOT_TRANSCRIBER=%s JANUS_BOT_JAVA=%s JANUS_BOT_CLASSES=%s exec sh %s"
        .formatted(
            quoted(transcriber),
            quoted(Path.of(System.getProperty("java.home"), "bin", "java").toString()),
            quoted(classPath),
            quoted(home.resolve(EXAMPLE).resolve("run.sh").toString()));
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
