package io.convoke.server.launch.process;

import io.convoke.server.launch.LaunchException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Users of this machine that bots run as, each one bot at a time, so that no bot can read what
 * another one or the server has. They are numbers without an entry in {@code /etc/passwd}. A server
 * that was started again sees in the process table which are in use.
 */
public final class BotUsers {
  private static final Path PROC = Path.of("/proc");
  private static final String UID_LINE = "Uid:";

  private final int first;
  private final int last;

  /** Users of bots that this server launched; guarded by this. */
  private final Map<String, Integer> taken = new HashMap<>();

  /** Taken in turn, so that what one bot left behind is not the next one's; guarded by this. */
  private int next;

  /** Users by number, both ends included; there are no others of these numbers on the machine. */
  public BotUsers(int first, int last) {
    this.first = first;
    this.last = last;
    this.next = first;
  }

  /** What an operator should know who gives bots no users of their own. */
  public static String advice() {
    return possible()
        ? "bots run as root, as the server does, and can read its secrets: set CONVOKE_BOT_UIDS"
        : "bots run as the server's user and can read its secrets and each other's: run them in"
            + " containers, or the server as root with CONVOKE_BOT_UIDS";
  }

  /** Whether this process may start others as another user. */
  public static boolean possible() {
    return System.getProperty("user.name", "").equals("root")
        && ProcessLauncher.onPath("setpriv")
        && Files.isReadable(PROC.resolve("self/status"));
  }

  /** A user that nothing runs as. */
  synchronized int take(String bot) throws LaunchException {
    Set<Integer> used = new HashSet<>(taken.values());
    used.addAll(running());
    for (int i = first; i <= last; i++) {
      int user = next;
      next = next == last ? first : next + 1;
      if (!used.contains(user)) {
        taken.put(bot, user);
        return user;
      }
    }
    throw new LaunchException("every user of CONVOKE_BOT_UIDS has a bot: " + first + "-" + last);
  }

  /** Gives a bot's user back; what still runs as it keeps it in use. */
  synchronized void release(String bot) {
    taken.remove(bot);
  }

  /** The beginning of a command line that runs the rest as a user, without rights. */
  static List<String> become(int user) {
    return List.of(
        "setpriv",
        "--reuid=" + user,
        "--regid=" + user,
        "--clear-groups",
        "--no-new-privs",
        "--inh-caps=-all",
        "--ambient-caps=-all",
        "--bounding-set=-all",
        "--");
  }

  /** The users of this range that processes run as. */
  private Set<Integer> running() throws LaunchException {
    Set<Integer> users = new HashSet<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        users.addAll(users(process));
      }
    } catch (IOException e) {
      throw new LaunchException("the users of processes cannot be read: " + e.getMessage(), e);
    }
    users.removeIf(user -> user < first || user > last);
    return users;
  }

  /** Real, effective, saved: the owner of the folder is root if the process hides its memory. */
  private static List<Integer> users(Path process) {
    try (Stream<String> status = Files.lines(process.resolve("status"))) {
      return status
          .filter(line -> line.startsWith(UID_LINE))
          .flatMap(line -> Stream.of(line.substring(UID_LINE.length()).strip().split("\\s+")))
          .map(Integer::valueOf)
          .toList();
    } catch (IOException | java.io.UncheckedIOException e) {
      return List.of(); // It has ended.
    }
  }
}
