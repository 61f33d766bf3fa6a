package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.CommandResult.SettingNotApplied;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The latest change of a bot's settings, and what became of it.
 *
 * @param settings that were to change
 * @param acknowledgedAt when the bot took it; for Vexa's image, when it was delivered
 * @param applied what the bot says that it changed; empty: it did not say
 * @param notApplied what it cannot change
 */
record BotSettingsReport(
    String commandId,
    Instant sentAt,
    Map<String, String> settings,
    Optional<Instant> acknowledgedAt,
    Optional<List<String>> applied,
    Optional<List<SettingNotApplied>> notApplied) {
  private static final List<String> NAMES = List.of("language", "task", "bot_name");

  /** By connection, of those of these launches that have any. */
  static Map<String, BotSettingsReport> latest(Tx tx, List<String> connectionIds) {
    Map<String, BotSettingsReport> latest = new HashMap<>();
    tx.sql(
            """
            select distinct on (connection_id)
              connection_id, id, payload, created_at, acked_at, result
            from bot_commands where connection_id = any(?) and action = 'reconfigure'
            order by connection_id, created_at desc, id desc
            """)
        .with((Object) connectionIds.toArray(String[]::new))
        .list(resultRow -> Map.entry(resultRow.text("connection_id"), of(resultRow)))
        .forEach(entry -> latest.put(entry.getKey(), entry.getValue()));
    return latest;
  }

  /** With what bots of this protocol cannot change and do not say. */
  BotSettingsReport spokenBy(BotProtocol protocol) {
    return switch (protocol) {
      case CONVOKE -> this;
      case VEXA -> {
        List<SettingNotApplied> all = new ArrayList<>(notApplied.orElse(List.of()));
        if (settings.containsKey("bot_name")) {
          all.add(
              new SettingNotApplied("bot_name", "Vexa's image keeps the name that it joined with"));
        }
        yield new BotSettingsReport(
            commandId, sentAt, settings, acknowledgedAt, applied, Optional.of(all));
      }
    };
  }

  private static BotSettingsReport of(ResultRow resultRow) {
    JsonNode payload = resultRow.json("payload");
    Map<String, String> settings = new LinkedHashMap<>();
    for (String name : NAMES) {
      if (payload.path(name).isString()) {
        settings.put(name, payload.path(name).asString());
      }
    }
    CommandResult result =
        resultRow
            .maybeJson("result")
            .map(json -> Json.read(json, CommandResult.class))
            .orElse(CommandResult.NOTHING_SAID);
    return new BotSettingsReport(
        resultRow.text("id"),
        resultRow.instant("created_at"),
        settings,
        resultRow.maybeInstant("acked_at"),
        result.applied(),
        result.notApplied());
  }
}
