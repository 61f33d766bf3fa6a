package io.convoke.agent.pod;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shell process beside the pod that signals the programs of its tasks with all their child
 * processes, and ends them when the pod dies, even by {@code kill -9}: it reads commands from a
 * pipe, and the end of the pipe makes it end all programs. Otherwise programs of a killed pod would
 * go on with tasks that another pod has started anew.
 *
 * <p>A program in its own session is signalled by process group; on systems without {@code setsid},
 * only the process itself.
 */
final class ProcessGroupReaper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProcessGroupReaper.class);
  private static final long EXIT_MAX_S = 5;

  // A line is "watch ID", "leave ID", which also kills the rest of the group, or "SIGNAL ID".
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      watched=' '
      send() { kill -s "$1" -- "-$2" 2>/dev/null || kill -s "$1" -- "$2" 2>/dev/null; }
      while read -r verb id; do
        case "$verb" in
          watch) watched="$watched$id " ;;
          leave)
            kill -s KILL -- "-$id" 2>/dev/null
            case "$watched" in
              *" $id "*) watched="${watched%% $id *} ${watched#* $id }" ;;
            esac ;;
          *) send "$verb" "$id" ;;
        esac
      done
      [ "$watched" = ' ' ] && exit 0
      for id in $watched; do send TERM "$id"; done
      sleep 2
      for id in $watched; do send KILL "$id"; done
      """;

  private final boolean sessions = onPath("setsid");
  private final Process shell;
  private final OutputStream commands;

  ProcessGroupReaper() throws IOException {
    this.shell =
        new ProcessBuilder(inSession(List.of("sh", "-c", SCRIPT)))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    this.commands = shell.getOutputStream();
  }

  /** The command line that runs a program in its own session, where possible. */
  List<String> inSession(List<String> command) {
    return sessions
        ? Stream.concat(Stream.of("setsid"), command.stream()).toList()
        : List.copyOf(command);
  }

  /** Ends the program when the pod ends, from now on. */
  void watch(long pid) {
    boolean _ = send("watch", pid);
  }

  /** Sends a signal to a program and its process group; false if the shell process is gone. */
  boolean signal(String name, long pid) {
    return send(name, pid);
  }

  /** Stops watching a program that has exited and kills the rest of its group. */
  void leave(long pid) {
    boolean _ = send("leave", pid);
  }

  @Override
  public void close() {
    try {
      commands.close();
      boolean _ = shell.waitFor(EXIT_MAX_S, TimeUnit.SECONDS);
    } catch (IOException e) {
      log.debug("Process group reaper exited before its pod");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean send(String verb, long pid) {
    try {
      commands.write((verb + " " + pid + "\n").getBytes(StandardCharsets.US_ASCII));
      commands.flush();
      return true;
    } catch (IOException e) {
      log.warn("Process group reaper exited; signalling processes one by one");
      return false;
    }
  }

  private static boolean onPath(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
