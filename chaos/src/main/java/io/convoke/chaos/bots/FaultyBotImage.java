package io.convoke.chaos.bots;

import io.convoke.fakes.docker.BotImageBuilder;
import io.convoke.fakes.docker.DockerDaemon;
import io.convoke.simulator.process.ClassPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The bots' image: a script that starts the reference bot or misbehaves as the kind of the room
 * says. Two kinds differ from processes: the proxy reports the image as missing, and a container
 * exceeds its memory limit instead of leaving an orphan.
 */
final class FaultyBotImage {
  static final String NAME = "convoke-chaos-bot:1";

  private static final String BOT = "io.convoke.agent.ReferenceBot";

  private static final String SCRIPT =
      """
      #!/bin/sh
      bot() {
        exec /java/bin/java -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \\
          --enable-native-access=ALL-UNNAMED -Dlogback.configurationFile=convoke-bot-logback.xml \\
          -cp 'CLASSES' PROGRAM
      }
      case "$(printf '%s' "$BOT_CONFIG" | sed 's/.*"native_meeting_id":"\\([^"]*\\)".*/\\1/')" in
        *-slow-*) sleep 3; bot ;;
        *-crashes-*) exit 3 ;;
        *-quits-*) exit 0 ;;
        *-forks-*) exec tail /dev/zero ;;
        *-deaf-*) trap "" TERM; while :; do sleep 1; done ;;
        *) bot ;;
      esac
      """;

  private FaultyBotImage() {}

  static void giveTo(DockerDaemon engine, Path folder) throws IOException {
    String classes = ClassPaths.listed(BOT);
    Path tar =
        BotImageBuilder.write(
            Files.createDirectories(folder),
            classes,
            inside -> SCRIPT.replace("PROGRAM", BOT).replace("CLASSES", inside));
    engine.importImage(tar, NAME, "/bot");
  }
}
