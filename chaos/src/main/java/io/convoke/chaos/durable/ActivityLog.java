package io.convoke.chaos.durable;

import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.chaos.durable.rules.FlowHistory.AwaitedFlow;
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
 * clock, shared by its processes, and the process' wall clock; or, of flows that the process
 * awaits, {@code await NANOS MILLIS FLOW 1} and {@code told NANOS MILLIS FLOW RESULT}.
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

  /** Flows that nodes awaited. */
  List<AwaitedFlow> awaited() throws IOException {
    List<AwaitedFlow> all = new ArrayList<>();
    for (LogFile file : files()) {
      Map<String, LogLine> told = new HashMap<>();
      file.lines("told").forEach(line -> told.put(line.key(), line));
      for (LogLine line : file.lines("await")) {
        Optional<LogLine> answer = Optional.ofNullable(told.get(line.key()));
        all.add(
            new AwaitedFlow(
                file.process(),
                line.key(),
                line.at(),
                answer.map(LogLine::at),
                answer.map(LogLine::number)));
      }
    }
    return all;
  }

  private List<ObservedActivityAttempt> read() throws IOException {
    List<ObservedActivityAttempt> all = new ArrayList<>();
    for (LogFile file : files()) {
      all.addAll(of(file));
    }
    return all;
  }

  /** A line, with its time by the monotonic clock and how far the process' clock was ahead. */
  private record LogLine(String what, Instant at, Duration skew, String key, long number) {}

  /** The file of a process. */
  private record LogFile(String process, List<LogLine> lines) {
    List<LogLine> lines(String what) {
      return lines.stream().filter(line -> line.what().equals(what)).toList();
    }
  }

  private List<LogFile> files() throws IOException {
    List<LogFile> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(it -> it.toString().endsWith(ENDING)).sorted().toList()) {
        String name = file.getFileName().toString();
        all.add(
            new LogFile(
                name.substring(0, name.length() - ENDING.length()),
                Files.readAllLines(file).stream()
                    .map(line -> line.split(" ", -1))
                    // A killed process may leave a truncated last line.
                    .filter(parts -> parts.length == 5 && !parts[4].isEmpty())
                    .map(this::line)
                    .toList()));
      }
    }
    return all;
  }

  private LogLine line(String[] parts) {
    Instant at = instant(Long.parseLong(parts[1]));
    Duration skew = Duration.between(at, Instant.ofEpochMilli(Long.parseLong(parts[2])));
    return new LogLine(parts[0], at, skew, parts[3], Long.parseLong(parts[4]));
  }

  private static List<ObservedActivityAttempt> of(LogFile file) {
    Map<String, Instant> ended = new HashMap<>();
    file.lines("end").forEach(line -> ended.put(line.key() + " " + line.number(), line.at()));
    return file.lines("begin").stream()
        .map(
            line ->
                new ObservedActivityAttempt(
                    file.process(),
                    line.key(),
                    Math.toIntExact(line.number()),
                    line.at(),
                    line.skew(),
                    Optional.ofNullable(ended.get(line.key() + " " + line.number()))))
        .toList();
  }

  private Instant instant(long monotonic) {
    return then.plusNanos(monotonic - nanos);
  }
}
