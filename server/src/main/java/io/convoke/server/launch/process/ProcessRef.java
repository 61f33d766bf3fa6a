package io.convoke.server.launch.process;

import io.convoke.agent.process.ProcessSession;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The handle of a bot process, valid across server restarts: {@code process:HOST:PID:START:NAME}.
 * The start time distinguishes the process from a later one with the same id.
 *
 * @param startMillis epoch milliseconds; -1 where the system does not report it
 */
record ProcessRef(String host, long pid, long startMillis, String name) {
  private static final Pattern FORM =
      Pattern.compile("process:([^:]+):([0-9]+):(-1|[0-9]+):([A-Za-z0-9_.-]+)");

  /** Start times are derived from the boot time, which the system may correct a little. */
  private static final Duration SAME_START = Duration.ofSeconds(2);

  static ProcessRef of(String host, ProcessHandle process, String name) {
    return new ProcessRef(
        host,
        process.pid(),
        process.info().startInstant().map(Instant::toEpochMilli).orElse(-1L),
        name);
  }

  static Optional<ProcessRef> parse(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? Optional.of(
            new ProcessRef(
                form.group(1),
                Long.parseLong(form.group(2)),
                Long.parseLong(form.group(3)),
                form.group(4)))
        : Optional.empty();
  }

  /** The process, if it still runs. */
  Optional<ProcessHandle> living() {
    return ProcessHandle.of(pid).filter(ProcessSession::runs).filter(this::same);
  }

  /** Whether another process has this number now, so that all of the session must have ended. */
  boolean replaced() {
    return ProcessHandle.of(pid).filter(process -> !same(process)).isPresent();
  }

  /** Whether both name the same bot: two servers may read slightly different times of its start. */
  boolean isSame(ProcessRef other) {
    return host.equals(other.host) && isSameProcess(other) && hasSameStart(other);
  }

  /**
   * The same where the other one was written by another server, before the machine was renamed or
   * its clock was set: one of both may have changed.
   */
  boolean isSameLaunch(ProcessRef other) {
    return isSameProcess(other) && (host.equals(other.host) || hasSameStart(other));
  }

  private boolean isSameProcess(ProcessRef other) {
    return name.equals(other.name) && pid == other.pid;
  }

  private boolean hasSameStart(ProcessRef other) {
    return Math.abs(startMillis - other.startMillis) < SAME_START.toMillis();
  }

  private boolean same(ProcessHandle process) {
    Optional<Instant> start = process.info().startInstant();
    return startMillis < 0
        || start.isEmpty()
        || Math.abs(start.get().toEpochMilli() - startMillis) < SAME_START.toMillis();
  }

  @Override
  public String toString() {
    return "process:" + host + ":" + pid + ":" + startMillis + ":" + name;
  }
}
