package io.convoke.chaos.bots;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The bots' processes as listed by the operating system: by a marker in their command lines, and by
 * the launcher's records for those that have not executed it yet.
 */
final class BotProcessTable implements BotProcesses {
  private static final Pattern NAME = Pattern.compile("convoke-bot-([0-9]+)-[0-9]+-[0-9a-f]{8}");

  private final String mark;
  private final Path records;

  BotProcessTable(String mark, Path records) {
    this.mark = mark;
    this.records = records;
  }

  /** One process. */
  private record RunningProcess(ProcessHandle process) implements BotProcessHandle {
    @Override
    public void kill() {
      boolean _ = process.destroyForcibly();
    }

    @Override
    public void hang() {
      try {
        int _ = new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void endAll() {
    list().values().stream()
        .flatMap(botProcessState -> botProcessState.bodies().stream())
        .forEach(BotProcessHandle::kill);
  }

  @Override
  public Map<Long, BotProcessState> list() {
    Map<String, List<ProcessHandle>> found = new HashMap<>();
    Map<String, Boolean> recorded = new HashMap<>();
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      all.forEach(
          process ->
              process
                  .info()
                  .commandLine()
                  .filter(line -> line.contains(mark + "/"))
                  .flatMap(BotProcessTable::name)
                  .ifPresent(
                      name -> found.computeIfAbsent(name, key -> new ArrayList<>()).add(process)));
    }
    for (Map.Entry<String, ProcessHandle> record : recorded().entrySet()) {
      recorded.put(record.getKey(), true);
      List<ProcessHandle> known = found.computeIfAbsent(record.getKey(), key -> new ArrayList<>());
      if (!known.contains(record.getValue())) {
        known.add(record.getValue());
      }
    }
    Map<Long, BotProcessState> seen = new HashMap<>();
    found.forEach(
        (name, processes) -> {
          long meeting = meeting(name);
          seen.put(
              meeting,
              new BotProcessState(
                  meeting, name, bodies(processes), recorded.getOrDefault(name, false)));
        });
    return seen;
  }

  private Map<String, ProcessHandle> recorded() {
    Map<String, ProcessHandle> living = new HashMap<>();
    try (Stream<Path> files = Files.list(records)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".pid")).toList()) {
        Optional<ProcessHandle> process =
            ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                .filter(ProcessHandle::isAlive)
                // A zombie has no command line.
                .filter(handle -> handle.info().command().isPresent());
        process.ifPresent(
            handle -> living.put(file.getFileName().toString().replace(".pid", ""), handle));
      }
    } catch (IOException | NumberFormatException goneMeanwhile) {
      // The next poll finds what is left.
    }
    return living;
  }

  private static List<BotProcessHandle> bodies(List<ProcessHandle> processes) {
    return processes.stream().<BotProcessHandle>map(RunningProcess::new).toList();
  }

  private static Optional<String> name(String line) {
    Matcher matcher = NAME.matcher(line);
    return matcher.find() ? Optional.of(matcher.group()) : Optional.empty();
  }

  private static long meeting(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }
}
