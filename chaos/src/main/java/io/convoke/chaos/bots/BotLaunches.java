package io.convoke.chaos.bots;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What launched bots were given, as their launch scripts note it. */
final class BotLaunches {
  private static final String NAME = "launches";
  private static final int PARTS = 3;

  private BotLaunches() {}

  /**
   * One launch.
   *
   * @param variables names of its environment beside those that a bot may have
   */
  record LaunchedBot(Instant at, String variables, JsonNode config) {
    long meetingId() {
      return config.path("meeting_id").asLong(0);
    }

    /** What its request determines. */
    String text() {
      JsonNode leaves = config.path("automatic_leave");
      return String.join(
          " ",
          BotReads.text(config, "connection_id"),
          BotReads.text(config, "platform"),
          BotReads.text(config, "native_meeting_id"),
          BotReads.text(config, "bot_name"),
          BotReads.text(config, "language"),
          BotReads.text(config, "task"),
          seconds(config, "heartbeat_interval"),
          seconds(leaves, "waiting_room_timeout"),
          seconds(leaves, "no_one_joined_timeout"),
          seconds(leaves, "everyone_left_timeout"));
    }

    private static String seconds(JsonNode node, String field) {
      return Long.toString(Math.round(node.path(field).asDouble(-1)));
    }
  }

  /** The file of the notes of a run. */
  static Path in(Path folder) {
    return folder.resolve(NAME);
  }

  /** All launches; none where scripts do not note them. */
  static List<LaunchedBot> read(Path folder) throws IOException {
    return Files.exists(in(folder))
        ? Files.readAllLines(in(folder)).stream()
            .map(line -> line.split(" ", PARTS))
            .filter(parts -> parts.length == PARTS)
            .map(
                parts ->
                    new LaunchedBot(
                        Instant.ofEpochMilli(Long.parseLong(parts[0])),
                        parts[1].substring(1),
                        JsonMapper.shared().readTree(parts[2])))
            .toList()
        : List.of();
  }
}
