package io.convoke.chaos.bots;

import io.convoke.simulator.process.ClassPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Launch command of the bots: a script that starts the reference bot or misbehaves as the kind of
 * the room says. Every bot has its name in its command line, so that orphans can be found.
 */
final class FaultyLauncher {
  private static final String BOT = "io.convoke.agent.ReferenceBot";

  private static final String FLAGS =
      "-Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto"
          + " --enable-native-access=ALL-UNNAMED"
          + " -Dlogback.configurationFile=convoke-bot-logback.xml";

  private static final String SCRIPT =
      """
      field() { printf '%s' "$BOT_CONFIG" | sed "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/"; }
      name=$(field container_name)
      others=$(env | sed -n 's/^\\([A-Za-z0-9_]*\\)=.*/\\1/p' \\
        | grep -vxE 'PATH|HOME|BOT_CONFIG|PWD|OLDPWD|SHLVL|_' | tr '\\n' ',')
      printf '%s .%s %s\\n' "$(date +%s%3N)" "$others" "$BOT_CONFIG" >> 'LAUNCHES'
      bot() { exec COMMAND; }
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

  /**
   * Writes the script; returns the setting.
   *
   * @param bot the command of a bot, which ignores a further argument; the reference bot's without
   *     it
   */
  static String command(Path folder, String mark, Optional<String> bot) throws IOException {
    Path script = folder.resolve("launch.sh");
    String started =
        bot.map(command -> command + " \"MARK/$name\"").orElseGet(FaultyLauncher::referenceBot);
    Path _ =
        Files.writeString(
            script,
            SCRIPT
                .replace("COMMAND", started)
                .replace("LAUNCHES", BotLaunches.in(folder).toString())
                .replace("MARK", mark));
    return "exec sh '" + script + "'";
  }

  private static String referenceBot() {
    return "'%s' %s \"-Dbot=MARK/$name\" -cp '%s' %s"
        .formatted(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            FLAGS,
            ClassPaths.listed(BOT),
            BOT);
  }
}
