package io.convoke.server.cli;

import io.convoke.server.config.ConfigFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that names the configuration file, and what the settings are with it. */
final class ConfigFileOption {
  private static final Path USUAL = Path.of("convoke.yaml");

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file; without it convoke.yaml, if there is one")
  private Optional<Path> named = Optional.empty();

  /**
   * The texts of the settings, by variable.
   *
   * @throws UsageException if the file that was named is not there: without its settings a command
   *     would work on what was not meant
   */
  Map<String, String> read() {
    if (named.filter(file -> !Files.isReadable(file)).isPresent()) {
      throw new UsageException(named.get() + ", which --config names, cannot be read");
    }
    return ConfigFile.read(named.orElse(USUAL), System.getenv());
  }
}
