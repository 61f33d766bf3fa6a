package io.convoke.simulator.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds a scenario by the name of a bundled one, or by a file's path. */
public final class ScenarioLoader {

  /** The bundled scenarios. */
  public static final List<String> NAMES = List.of("morning", "corners", "recordings");

  private ScenarioLoader() {}

  /** Reads a bundled scenario, or else the file of that name. */
  public static ScenarioParseResult find(String nameOrFile) {
    try {
      return ScenarioReader.read(
          NAMES.contains(nameOrFile)
              ? resource(nameOrFile)
              : Files.readAllBytes(Path.of(nameOrFile)));
    } catch (IOException unreadable) {
      return new ScenarioParseResult.InvalidScenario(
          List.of("there is no scenario and no readable file " + nameOrFile));
    }
  }

  /** The small company's morning. */
  public static SimulationScript morning() {
    return switch (find("morning")) {
      case ScenarioParseResult.ValidScenario(SimulationScript simulationScript) -> simulationScript;
      case ScenarioParseResult.InvalidScenario(List<String> faults) ->
          throw new UncheckedIOException(new IOException(String.join("; ", faults)));
    };
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = ScenarioLoader.class.getResourceAsStream(name + ".yaml")) {
      if (in == null) {
        throw new IOException("the scenario " + name + " is missing from the program");
      }
      return in.readAllBytes();
    }
  }
}
