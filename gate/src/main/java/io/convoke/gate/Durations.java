package io.convoke.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long each class took when it was last measured: a committed file, one {@code module class
 * seconds} a line after lines of comment, and the file of this working copy's last runs, which
 * wins.
 */
final class Durations {
  /** A class that was never measured may be long, so it begins early. */
  private static final double UNKNOWN_SECONDS = 20;

  private final Map<String, Double> seconds;

  private Durations(Map<String, Double> seconds) {
    this.seconds = seconds;
  }

  static Durations read(Path committed, Path measured) throws IOException {
    Map<String, Double> seconds = new HashMap<>();
    for (Path file : new Path[] {committed, measured}) {
      if (Files.exists(file)) {
        Files.readAllLines(file).stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" ", -1))
            .forEach(word -> seconds.put(word[0] + ' ' + word[1], Double.valueOf(word[2])));
      }
    }
    return new Durations(seconds);
  }

  synchronized double of(TestClass test) {
    return seconds.getOrDefault(key(test), UNKNOWN_SECONDS);
  }

  synchronized void measured(TestClass test, double took) {
    seconds.put(key(test), took);
  }

  synchronized void write(Path file) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    Files.write(
        file,
        new TreeMap<>(seconds)
            .entrySet().stream()
                .map(it -> "%s %.1f".formatted(it.getKey(), it.getValue()))
                .toList());
  }

  private static String key(TestClass test) {
    return test.module() + ' ' + test.name() + (test.method().isEmpty() ? "" : '#' + test.method());
  }
}
