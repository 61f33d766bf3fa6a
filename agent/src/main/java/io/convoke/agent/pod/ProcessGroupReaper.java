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
 * A small shell beside the pod that signals the programs of its tasks with all that they started,
 * and that ends them when the pod itself dies, however that happens: its orders come through a
 * pipe, and the end of the pipe is the last order. Without it a {@code kill -9} of the pod would
 * leave programs at work on tasks that another pod has begun anew.
 *
 * <p>A program in a session of its own is addressed by its process group; where the system has no
 * {@code setsid}, by itself alone.
 */
final class ProcessGroupReaper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProcessGroupReaper.class);
  private static final long GOODBYE_MAX_S = 5;

  // A line is "watch ID", "leave ID", which also ends what is left of it, or "SIGNAL ID".
  private static final String ORDERS =
      """
      trap '' INT TERM HUP
      wards=' '
      tell() { kill -s "$1" -- "-$2" 2>/dev/null || kill -s "$1" -- "$2" 2>/dev/null; }
      while read -r word id; do
        case "$word" in
          watch) wards="$wards$id " ;;
          leave)
            kill -s KILL -- "-$id" 2>/dev/null
            case "$wards" in
              *" $id "*) wards="${wards%% $id *} ${wards#* $id }" ;;
            esac ;;
          *) tell "$word" "$id" ;;
        esac
      done
      [ "$wards" = ' ' ] && exit 0
      for id in $wards; do tell TERM "$id"; done
      sleep 2
      for id in $wards; do tell KILL "$id"; done
      """;

  private final boolean sessions = onPath("setsid");
  private final Process shell;
  private final OutputStream orders;

  ProcessGroupReaper() throws IOException {
    this.shell =
        new ProcessBuilder(inSession(List.of("sh", "-c", ORDERS)))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    this.orders = shell.getOutputStream();
  }

  /** The command line that runs a program in a session of its own, where that is possible. */
  List<String> inSession(List<String> command) {
    return sessions
        ? Stream.concat(Stream.of("setsid"), command.stream()).toList()
        : List.copyOf(command);
  }

  /** From now on the program ends when the pod does. */
  void watch(long pid) {
    boolean _ = order("watch", pid);
  }

  /** Sends a signal to a program and all that is in its group; false if nobody could. */
  boolean signal(String name, long pid) {
    return order(name, pid);
  }

  /** The program has ended: what it left behind in its group ends too. */
  void leave(long pid) {
    boolean _ = order("leave", pid);
  }

  @Override
  public void close() {
    try {
      orders.close();
      boolean _ = shell.waitFor(GOODBYE_MAX_S, TimeUnit.SECONDS);
    } catch (IOException e) {
      log.debug("the warden was gone before its pod");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean order(String word, long pid) {
    try {
      orders.write((word + " " + pid + "\n").getBytes(StandardCharsets.US_ASCII));
      orders.flush();
      return true;
    } catch (IOException e) {
      log.warn("the warden of this pod is gone, programs are signalled one by one");
      return false;
    }
  }

  private static boolean onPath(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
