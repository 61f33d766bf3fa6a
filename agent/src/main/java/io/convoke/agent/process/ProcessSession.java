package io.convoke.agent.process;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All processes of a program that was started in a session of its own ({@code setsid}): it runs for
 * as long as any of them does, and signals go to each of them. A process belongs to it
 *
 * <ul>
 *   <li>if it is in the session, whatever became of the process that the session is named after;
 *   <li>if its environment carries the program's mark, so that one that made a session of its own
 *       is found as well;
 *   <li>if its parent belongs to it, or did when this object looked before.
 * </ul>
 *
 * What escapes is a process that made a session of its own, dropped the mark from its environment,
 * and lost its parent before the first scan. Of a zombie nothing runs; one that was seen alive
 * counts for another moment, so that its parent can collect it and its number is gone with it.
 *
 * <p>On Linux this reads {@code /proc}, a few milliseconds for some hundred processes. Elsewhere
 * the first process and its descendants are all that is known.
 */
public final class ProcessSession {
  private static final Path PROC = Path.of("/proc");
  private static final boolean HAS_PROC = Files.isReadable(PROC.resolve("self/stat"));
  private static final Duration ZOMBIE_MAX = Duration.ofSeconds(3);
  private static final Duration LOOK_FIRST = Duration.ofMillis(5);
  private static final Duration LOOK_LONGEST = Duration.ofMillis(100);

  private final long id;
  private final BooleanSupplier current;
  private final Predicate<String> mark;

  /** What was found and may run; guarded by this. */
  private final Set<SessionProcess> known = new HashSet<>();

  /** When a known process was first seen as a zombie, by the monotonic clock; guarded by this. */
  private final Map<SessionProcess, Long> zombies = new HashMap<>();

  /**
   * Describes the session of a program.
   *
   * @param id the process id of its first process, which names the session
   * @param current whether that number still means this program: process ids are used again
   * @param mark recognises a variable ({@code NAME=value}) that only this program's processes have
   */
  public ProcessSession(long id, BooleanSupplier current, Predicate<String> mark) {
    this.id = id;
    this.current = current;
    this.mark = mark;
  }

  /**
   * A process, told from a later one with the same number by its start.
   *
   * @param start in the system's own unit
   */
  private record SessionProcess(long pid, long start) {}

  /** A line of the process table. */
  private record ProcessTableEntry(
      long pid, long parent, long session, long start, boolean zombie) {
    SessionProcess member() {
      return new SessionProcess(pid, start);
    }
  }

  /** Whether a process runs; one that ended and was not collected by its parent does not. */
  public static boolean runs(ProcessHandle process) {
    if (!HAS_PROC) {
      return process.isAlive();
    }
    ProcessTableEntry processTableEntry = entry(process.pid());
    return process.isAlive() && processTableEntry != null && !processTableEntry.zombie();
  }

  /** Whether anything of the program runs. */
  public boolean running() {
    boolean found = !members().isEmpty();
    // A process may be forked behind the position of a scan, and its parent may end before.
    return found || !members().isEmpty();
  }

  /**
   * Sends SIGTERM to all of the program and waits for its end, at most this long.
   *
   * @return whether nothing of it is left
   */
  public boolean terminate(Duration grace) throws InterruptedException {
    long deadline = System.nanoTime() + grace.toNanos();
    Set<SessionProcess> told = new HashSet<>();
    // The second look finds what was forked during the first. What comes later is the program's own
    // work on its end.
    for (int look = 0; look < 2; look++) {
      for (SessionProcess sessionProcess : members()) {
        if (told.add(sessionProcess)) {
          signal(sessionProcess, false);
        }
      }
    }
    return awaitEnd(deadline, LOOK_LONGEST);
  }

  /**
   * Sends SIGKILL to all of the program, and to what appears of it meanwhile, and waits for its
   * end.
   *
   * @return whether nothing of it is left
   */
  public boolean kill(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    do {
      members().forEach(sessionProcess -> signal(sessionProcess, true));
      if (awaitEnd(Math.min(deadline, System.nanoTime() + LOOK_LONGEST.toNanos()), LOOK_LONGEST)) {
        return true;
      }
    } while (System.nanoTime() - deadline < 0);
    return false;
  }

  /**
   * Waits for its end without ending it.
   *
   * @param looks between two looks at what is known to run
   * @return whether nothing of it is left
   */
  public boolean awaitEnd(Duration atMost, Duration looks) throws InterruptedException {
    return awaitEnd(System.nanoTime() + atMost.toNanos(), looks);
  }

  /** Waits until nothing runs. The process table is read again only when all known ones ended. */
  private boolean awaitEnd(long deadline, Duration longest) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    while (true) {
      List<SessionProcess> left = new ArrayList<>(members());
      if (left.isEmpty() && !running()) {
        return true;
      }
      Duration pause = LOOK_FIRST;
      while (left.stream().anyMatch(this::runs)) {
        long wait = Math.min(pause.toNanos(), deadline - System.nanoTime());
        if (wait <= 0) {
          return false;
        }
        boolean _ = never.await(wait, TimeUnit.NANOSECONDS);
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(longest) < 0 ? doubled : longest;
      }
    }
  }

  private synchronized List<SessionProcess> members() {
    List<SessionProcess> members = HAS_PROC ? fromTable() : descendants();
    known.clear();
    known.addAll(members);
    zombies.keySet().retainAll(known);
    return members;
  }

  private List<SessionProcess> fromTable() {
    Map<Long, ProcessTableEntry> table = table();
    long own = ProcessHandle.current().pid();
    Set<Long> found = new HashSet<>();
    boolean ours = current.getAsBoolean();
    for (ProcessTableEntry processTableEntry : table.values()) {
      boolean sure =
          known.contains(processTableEntry.member()) || (ours && processTableEntry.session() == id);
      if (sure) {
        found.add(processTableEntry.pid());
      } else if (marked(processTableEntry.pid())) {
        found.add(processTableEntry.pid());
        // A marked process in the session proves whose session it is.
        ours |= processTableEntry.session() == id;
      }
    }
    for (ProcessTableEntry processTableEntry : table.values()) {
      if (ours && (processTableEntry.session() == id || processTableEntry.pid() == id)) {
        found.add(processTableEntry.pid());
      }
    }
    found.remove(own);
    boolean more = !found.isEmpty();
    while (more) {
      more = false;
      for (ProcessTableEntry processTableEntry : table.values()) {
        if (processTableEntry.pid() != own && found.contains(processTableEntry.parent())) {
          more |= found.add(processTableEntry.pid());
        }
      }
    }
    return table.values().stream()
        .filter(processTableEntry -> found.contains(processTableEntry.pid()))
        .map(ProcessTableEntry::member)
        .toList();
  }

  /** Without {@code /proc}: the first process and what descends from it. */
  private List<SessionProcess> descendants() {
    Stream<ProcessHandle> first =
        current.getAsBoolean() ? ProcessHandle.of(id).stream() : Stream.empty();
    Stream<ProcessHandle> before =
        known.stream().filter(this::runs).flatMap(of -> ProcessHandle.of(of.pid()).stream());
    return Stream.concat(first, before)
        .filter(ProcessHandle::isAlive)
        .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
        .map(process -> new SessionProcess(process.pid(), startOf(process)))
        .distinct()
        .toList();
  }

  private void signal(SessionProcess sessionProcess, boolean kill) {
    Optional<ProcessHandle> process = ProcessHandle.of(sessionProcess.pid());
    // The handle signals only the process that it was made for, and that one is checked here.
    if (process.isPresent() && runs(sessionProcess)) {
      boolean _ = kill ? process.get().destroyForcibly() : process.get().destroy();
    }
  }

  /** Whether a process runs, or is a zombie that may still be collected. */
  private synchronized boolean counts(ProcessTableEntry processTableEntry) {
    if (!processTableEntry.zombie()) {
      return true;
    }
    if (!known.contains(processTableEntry.member())) {
      return false;
    }
    long now = System.nanoTime();
    return now - zombies.computeIfAbsent(processTableEntry.member(), _ -> now)
        < ZOMBIE_MAX.toNanos();
  }

  private boolean runs(SessionProcess sessionProcess) {
    if (!HAS_PROC) {
      return ProcessHandle.of(sessionProcess.pid())
          .filter(ProcessHandle::isAlive)
          .filter(process -> startOf(process) == sessionProcess.start())
          .isPresent();
    }
    ProcessTableEntry processTableEntry = entry(sessionProcess.pid());
    return processTableEntry != null
        && processTableEntry.start() == sessionProcess.start()
        && counts(processTableEntry);
  }

  private static long startOf(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  /** Every process that counts. */
  private Map<Long, ProcessTableEntry> table() {
    Map<Long, ProcessTableEntry> table = new LinkedHashMap<>();
    String[] names = PROC.toFile().list();
    for (String name : names == null ? new String[0] : names) {
      if (name.chars().allMatch(character -> character >= '0' && character <= '9')) {
        ProcessTableEntry processTableEntry = entry(Long.parseLong(name));
        if (processTableEntry != null && counts(processTableEntry)) {
          table.put(processTableEntry.pid(), processTableEntry);
        }
      }
    }
    return table;
  }

  private static @Nullable ProcessTableEntry entry(long pid) {
    String stat = read(pid, "stat");
    // pid (name) state parent group session ...; the name may hold anything, parentheses too.
    int nameEnd = stat.lastIndexOf(')');
    if (nameEnd < 0) {
      return null;
    }
    String[] fields = stat.substring(nameEnd + 2).split(" ", -1);
    return new ProcessTableEntry(
        pid,
        Long.parseLong(fields[1]),
        Long.parseLong(fields[3]),
        Long.parseLong(fields[19]),
        fields[0].equals("Z") || fields[0].equals("X"));
  }

  /** Processes of other users show no environment. */
  private boolean marked(long pid) {
    String environment = read(pid, "environ");
    return !environment.isEmpty() && Arrays.stream(environment.split("\0")).anyMatch(mark);
  }

  private static String read(long pid, String file) {
    try (FileInputStream in = new FileInputStream("/proc/" + pid + "/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
