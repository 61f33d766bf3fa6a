package io.convoke.chaos.bots;

import io.convoke.simulator.process.ClassPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Launch command of the bots: a script that starts the reference bot or misbehaves as the kind of
 * the room says. Every bot has its name in its command line, so that orphans can be found.
 */
final class FaultyLauncher {
  private static final String BOT = "io.convoke.agent.ReferenceBot";

  private static final String SCRIPT =
      """
      field() { printf '%s' "$BOT_CONFIG" | sed "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/"; }
      name=$(field container_name)
      bot() {
        exec 'JAVA' -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto \\
          --enable-native-access=ALL-UNNAMED -Dlogback.configurationFile=convoke-bot-logback.xml \\
          "-Dbot=MARK/$name" -cp 'CLASSES' PROGRAM
      }
      case "$(field native_meeting_id)" in
        *-slow-*) sleep 3; bot ;;
        *-fails-*) exit 127 ;;
        *-crashes-*) exit 3 ;;
        *-quits-*) exit 0 ;;
        *-forks-*) bot & exit 0 ;;
        *-deaf-*) exec sh -c 'trap "" TERM; while :; do sleep 1; done' "MARK/$name" ;;
        *) bot ;;
      esac
      """;

  private FaultyLauncher() {}

  /** Writes the script; returns the setting. */
  static String command(Path folder, String mark) throws IOException {
    Path script = folder.resolve("launch.sh");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = ClassPaths.listed(BOT);
    Path _ =
        Files.writeString(
            script,
            SCRIPT
                .replace("JAVA", java)
                .replace("MARK", mark)
                .replace("PROGRAM", BOT)
                .replace("CLASSES", classes));
    return "exec sh '" + script + "'";
  }
}
