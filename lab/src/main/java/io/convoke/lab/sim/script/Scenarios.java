package io.convoke.lab.sim.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds a scenario by the name of one that comes along, or by a file's path. */
public final class Scenarios {

  /** The scenarios that come along. */
  public static final List<String> NAMES = List.of("morning", "corners", "recordings");

  private Scenarios() {}

  /** Reads one that comes along, or else the file of that name. */
  public static Parsed find(String nameOrFile) {
    try {
      return ScenarioReader.read(
          NAMES.contains(nameOrFile)
              ? resource(nameOrFile)
              : Files.readAllBytes(Path.of(nameOrFile)));
    } catch (IOException unreadable) {
      return new Parsed.Faulty(List.of("there is no scenario and no readable file " + nameOrFile));
    }
  }

  /** The small company's morning. */
  public static Scenario morning() {
    return switch (find("morning")) {
      case Parsed.Good(Scenario scenario) -> scenario;
      case Parsed.Faulty(List<String> faults) ->
          throw new UncheckedIOException(new IOException(String.join("; ", faults)));
    };
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = Scenarios.class.getResourceAsStream(name + ".yaml")) {
      if (in == null) {
        throw new IOException("the scenario " + name + " is missing from the program");
      }
      return in.readAllBytes();
    }
  }
}
