package io.convoke.server.launch.process;

import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command line that a bot is started with. It is visible to every user of the machine: no
 * secret in it.
 */
public record BotCommandLine(List<String> line) {
  /**
   * What the reference bot needs of our own class path; every further jar costs time at its start.
   */
  private static final Pattern NEEDED =
      Pattern.compile(
          "(?:convoke-)?(?:durable|dispatch|agent).*|jackson-(?!(?:core|databind)-2).*|lettuce-.*|redis-authx.*|netty-.*|reactor-.*|reactive-streams.*"
              + "|slf4j-api.*|logback-.*|jspecify.*");

  /** A command line of the operator's, run by the shell. */
  public static BotCommandLine shell(String command) {
    return new BotCommandLine(List.of("sh", "-c", command));
  }

  /** The reference bot, run by the Java that runs us. */
  public static BotCommandLine reference() {
    String java = ProcessHandle.current().info().command().orElse("java");
    return new BotCommandLine(
        Stream.concat(
                Stream.of(java),
                Stream.of(
                    "-Xmx64m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto",
                    "--enable-native-access=ALL-UNNAMED",
                    "-Dlogback.configurationFile=convoke-bot-logback.xml",
                    "-cp",
                    classPath(System.getProperty("java.class.path")),
                    "io.convoke.agent.ReferenceBot"))
            .toList());
  }

  static String classPath(String ours) {
    String needed =
        Arrays.stream(ours.split(Pattern.quote(File.pathSeparator)))
            .filter(entry -> NEEDED.matcher(nameOf(entry)).matches())
            .collect(Collectors.joining(File.pathSeparator));
    return needed.isEmpty() ? ours : needed;
  }

  /** The jar's name, or for a folder of classes in a build the module's. */
  private static String nameOf(String entry) {
    String path = entry.replace('\\', '/');
    String module = path.replaceFirst("/target/(?:test-)?classes/?$", "");
    return module.substring(module.lastIndexOf('/') + 1);
  }
}
