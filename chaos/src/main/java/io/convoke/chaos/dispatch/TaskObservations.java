package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The program that handles tasks, and its log of attempts outside of Redis and Postgres. Times are
 * the machine's monotonic clock, which clock shifts do not affect.
 */
final class TaskObservations {
  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final int FIELDS = 7;
  private static final int LOOKS_MAX = 100;
  private static final Duration NARROW = Duration.ofMillis(2);

  private final Path program;
  private final Path notes;

  /**
   * One log line: {@code WORD UPTIME TASK ATTEMPT LIFE POD CODE}; at a begin the code is the slot.
   */
  record TaskObservation(
      String point, Instant at, String task, int attempt, String life, String pod, String code) {}

  TaskObservations(Path folder) throws IOException {
    this.program = folder.resolve("work.sh");
    this.notes = folder.resolve("notes");
    try (InputStream source = TaskObservations.class.getResourceAsStream("work.sh")) {
      var _ = Files.copy(Objects.requireNonNull(source), program);
    }
    var _ = Files.createFile(notes);
  }

  /** Command with which pods run it. */
  String command() {
    return "exec sh " + program;
  }

  Path notes() {
    return notes;
  }

  List<TaskObservation> read() throws IOException {
    Instant booted = booted();
    List<TaskObservation> all = new ArrayList<>();
    for (String line : Files.readAllLines(notes)) {
      String[] parts = line.split(" ", -1);
      // A killed program may leave a truncated last line.
      if (parts.length == FIELDS) {
        all.add(
            new TaskObservation(
                parts[0],
                booted.plusMillis(Math.round(Double.parseDouble(parts[1]) * 1000)),
                parts[2],
                Integer.parseInt(parts[3]),
                parts[4],
                parts[5],
                parts[6]));
      }
    }
    return all;
  }

  List<ObservedAttempt> attempts() throws IOException {
    Map<String, ObservedAttempt> open = new LinkedHashMap<>();
    List<ObservedAttempt> over = new ArrayList<>();
    for (TaskObservation seen : read()) {
      String key = seen.task() + " " + seen.attempt() + " " + seen.pod();
      if (seen.point().equals("begin")) {
        ObservedAttempt before =
            open.put(
                key,
                new ObservedAttempt(
                    seen.task(),
                    seen.attempt(),
                    seen.life(),
                    seen.pod(),
                    seen.at(),
                    Optional.empty(),
                    "",
                    seen.code()));
        if (before != null) {
          over.add(before);
        }
      } else {
        ObservedAttempt begun = open.remove(key);
        if (begun != null) {
          over.add(
              new ObservedAttempt(
                  begun.id(),
                  begun.number(),
                  begun.life(),
                  begun.pod(),
                  begun.startedAt(),
                  Optional.of(seen.at()),
                  seen.code(),
                  begun.slot()));
        }
      }
    }
    over.addAll(open.values());
    over.sort(Comparator.comparing(ObservedAttempt::startedAt));
    return List.copyOf(over);
  }

  /**
   * Uses the sample whose two clock reads lie closest together, since on a busy machine they may
   * lie far apart.
   */
  private static Instant booted() throws IOException {
    Instant best = Instant.MIN;
    Duration narrowest = Duration.ofDays(1);
    for (int i = 0; i < LOOKS_MAX && narrowest.compareTo(NARROW) > 0; i++) {
      Instant before = Instant.now();
      String text = Files.readString(UPTIME);
      Instant now = Instant.now();
      Duration between = Duration.between(before, now);
      if (between.compareTo(narrowest) < 0) {
        narrowest = between;
        double up = Double.parseDouble(text.substring(0, text.indexOf(' ')));
        best = now.minusMillis(Math.round(up * 1000));
      }
    }
    return best;
  }
}
