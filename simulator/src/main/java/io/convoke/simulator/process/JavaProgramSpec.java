package io.convoke.simulator.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How to start one of Convoke's programs.
 *
 * @param name for logs and errors
 * @param mainClass looked up on the class path of its module, see {@link ClassPaths}
 * @param arguments of the program; never a secret, a command line is public
 * @param environment its variables besides {@code PATH} and {@code HOME}; secrets go here
 * @param flags of the JVM, besides those that {@code ./convoke} gives every command
 * @param log its output file, appended so that a restart keeps earlier output
 * @param ofAnyRelease whether its starts take turns between two releases, see {@link
 *     ReleaseRotation}
 */
public record JavaProgramSpec(
    String name,
    String mainClass,
    List<String> arguments,
    Map<String, String> environment,
    List<String> flags,
    Path log,
    boolean ofAnyRelease) {

  /** A program of this release. */
  public JavaProgramSpec(
      String name,
      String mainClass,
      List<String> arguments,
      Map<String, String> environment,
      List<String> flags,
      Path log) {
    this(name, mainClass, arguments, environment, flags, log, false);
  }

  private static final String SERVER = "io.convoke.server.Main";

  /**
   * The property with the AOT cache of the JVM from an earlier start of a server; {@code ./convoke}
   * sets it. It is valid for programs with the server's class path alone.
   */
  private static final String LEARNED = "convoke.learned";

  /** The JVM flags of {@code ./convoke}, so that what is measured is what a user runs. */
  private static final List<String> COMMON_FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:+UseCompactObjectHeaders",
          "-XX:+ExitOnOutOfMemoryError",
          "--enable-native-access=ALL-UNNAMED");

  /** A Convoke server with these settings; unless they say otherwise it stops without a delay. */
  public static JavaProgramSpec server(
      String name, List<String> arguments, Map<String, String> settings, Path log) {
    Map<String, String> environment = new HashMap<>(settings);
    String _ = environment.putIfAbsent("CONVOKE_SHUTDOWN_DELAY", "0s");
    return new JavaProgramSpec(name, SERVER, arguments, environment, List.of(), log, true);
  }

  public JavaProgramSpec withFlags(List<String> other) {
    return new JavaProgramSpec(name, mainClass, arguments, environment, other, log, ofAnyRelease);
  }

  public JavaProgramSpec withEnvironment(Map<String, String> other) {
    return new JavaProgramSpec(name, mainClass, arguments, other, flags, log, ofAnyRelease);
  }

  /** The same, of this release and an earlier one in turn where a run has two. */
  public JavaProgramSpec inEitherRelease() {
    return new JavaProgramSpec(name, mainClass, arguments, environment, flags, log, true);
  }

  ProcessBuilder builder() {
    List<String> command = new ArrayList<>(InstalledPrograms.ownSession());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(COMMON_FLAGS);
    Optional<Path> earlier = ofAnyRelease ? ReleaseRotation.next(log) : Optional.empty();
    Optional.ofNullable(System.getProperty(LEARNED))
        .filter(
            _ -> earlier.isEmpty() && !ClassPaths.patched() && ClassPaths.same(mainClass, SERVER))
        .ifPresent(file -> command.addAll(List.of("-XX:AOTCache=" + file, "-Xlog:aot=off")));
    command.addAll(flags);
    command.add(mainClass);
    command.addAll(arguments);
    // Apart from standard output, or a log line could cut the ready line in two.
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    Map<String, String> inherited = new HashMap<>(builder.environment());
    builder.environment().clear();
    for (String kept : List.of("PATH", "HOME", "LANG", "TMPDIR")) {
      String value = inherited.get(kept);
      if (value != null) {
        builder.environment().put(kept, value);
      }
    }
    builder
        .environment()
        .put(
            "CLASSPATH",
            earlier
                .map(home -> ClassPaths.of(home, mainClass))
                .orElseGet(() -> ClassPaths.of(mainClass)));
    builder.environment().putAll(environment);
    return builder;
  }
}
