package io.convoke.simulator.process;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small shell that outlives this process by a moment: it waits at the end of a pipe, and when the
 * pipe closes, however the parent died, it ends the registered processes. Without it a kill -9
 * would leave servers behind.
 */
public final class OrphanReaper implements AutoCloseable {
  // Each line is "SIGNAL PID"; at the end of input each process gets its signal, and a moment later
  // the ones that did not obey are killed. A line "delete FOLDER" names what is deleted then.
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      wards=''
      folder=''
      while read -r signal pid; do
        case "$signal" in
          delete) folder=$pid ;;
          forget) wards=$(printf '%s\\n' "$wards" | grep -v " $pid\\$") ;;
          *) wards=$(printf '%s\\n%s %s' "$wards" "$signal" "$pid") ;;
        esac
      done
      printf '%s\\n' "$wards" | while read -r signal pid; do
        [ -n "$pid" ] && kill "-$signal" "$pid" 2>/dev/null
      done
      for _ in 1 2 3 4 5 6 7 8 9 10; do
        left=''
        for pid in $(printf '%s\\n' "$wards" | sed 's/.* //'); do
          kill -0 "$pid" 2>/dev/null && left="$left $pid"
        done
        [ -z "$left" ] && break
        sleep 0.5
      done
      [ -z "$left" ] || kill -KILL $left 2>/dev/null
      [ -z "$folder" ] || nice rm -rf "$folder"
      """;

  private final AtomicInteger killed = new AtomicInteger();
  private final Process shell;
  private final OutputStream pipe;

  public OrphanReaper() {
    List<String> command = new ArrayList<>(InstalledPrograms.ownSession());
    command.addAll(List.of("sh", "-c", SCRIPT));
    try {
      shell =
          new ProcessBuilder(command)
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      throw new ChildProcessException("cannot start a shell to guard the embedded stores", e);
    }
    pipe = shell.getOutputStream();
  }

  /** From now on the process ends when this one does; {@code signal} is how it ends cleanly. */
  public void guard(Process process, String signal) {
    send(signal + " " + process.pid());
  }

  /** From now on the folder is deleted when this process and those that it started have ended. */
  public void deleteAtEnd(Path folder) {
    send("delete " + folder);
  }

  /** Unregisters an exited process; its pid may soon be another's. */
  public void release(Process process) {
    send("forget " + process.pid());
  }

  /** Counts a program that a fault killed and whose exit code shows it. */
  void countKilled() {
    int _ = killed.incrementAndGet();
  }

  /** How many programs were killed as a fault and have ended by it. */
  public int killed() {
    return killed.get();
  }

  @Override
  public void close() {
    try {
      pipe.close();
    } catch (IOException e) {
      shell.destroy();
    }
  }

  private synchronized void send(String line) {
    try {
      pipe.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      pipe.flush();
    } catch (IOException e) {
      throw new ChildProcessException("the orphan reaper has exited", e);
    }
  }
}
