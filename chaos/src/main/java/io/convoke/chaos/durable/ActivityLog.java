package io.convoke.chaos.durable;

import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads the files written by activities and steps outside of the database: one for each process of
 * each node, to which every attempt appends a line when it begins and one when it is done.
 *
 * <p>A line is {@code begin NANOS MILLIS KEY ATTEMPT} or {@code end ...}: the machine's monotonic
 * clock, shared by its processes, and the process' wall clock.
 */
final class ActivityLog {
  private static final String ENDING = ".outside";

  private final long nanos = System.nanoTime();
  private final Instant then = Instant.now();
  private final Path folder;

  ActivityLog(Path folder) {
    this.folder = folder;
  }

  static String file(String node, int life) {
    return node + "." + life + ENDING;
  }

  /** Attempts of activities and jobs. */
  List<ObservedActivityAttempt> tried() throws IOException {
    return read().stream().filter(one -> !one.key().startsWith(TestActivity.STEP)).toList();
  }

  /** Attempts of steps. */
  List<ObservedActivityAttempt> steps() throws IOException {
    return read().stream().filter(one -> one.key().startsWith(TestActivity.STEP)).toList();
  }

  private List<ObservedActivityAttempt> read() throws IOException {
    List<ObservedActivityAttempt> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(it -> it.toString().endsWith(ENDING)).sorted().toList()) {
        all.addAll(of(file));
      }
    }
    return all;
  }

  private List<ObservedActivityAttempt> of(Path file) throws IOException {
    String name = file.getFileName().toString();
    String process = name.substring(0, name.length() - ENDING.length());
    List<ObservedActivityAttempt> begun = new ArrayList<>();
    Map<String, Instant> ended = new HashMap<>();
    for (String line : Files.readAllLines(file)) {
      String[] parts = line.split(" ", -1);
      // A killed process may leave a truncated last line.
      if (parts.length == 5 && !parts[4].isEmpty()) {
        Instant at = instant(Long.parseLong(parts[1]));
        if (parts[0].equals("end")) {
          ended.put(parts[3] + " " + parts[4], at);
        } else {
          Duration skew = Duration.between(at, Instant.ofEpochMilli(Long.parseLong(parts[2])));
          begun.add(
              new ObservedActivityAttempt(
                  process, parts[3], Integer.parseInt(parts[4]), at, skew, Optional.empty()));
        }
      }
    }
    return begun.stream()
        .map(
            one ->
                new ObservedActivityAttempt(
                    one.process(),
                    one.key(),
                    one.attempt(),
                    one.startedAt(),
                    one.skew(),
                    Optional.ofNullable(ended.get(one.key() + " " + one.attempt()))))
        .toList();
  }

  private Instant instant(long monotonic) {
    return then.plusNanos(monotonic - nanos);
  }
}
