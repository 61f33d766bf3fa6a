package io.convoke.server.bots;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.MeetingStatusChange;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Commands to bots. A command is a row until the bot has acknowledged it, and every answer to the
 * bot's calls carries the open ones. The commit wakes a long poll ({@link CommandLongPolls}); bots
 * with a Redis URL also get it published there. A lost publish therefore delays a command by at
 * most one heartbeat.
 */
final class BotCommandQueue {
  /** Unacknowledged commands that one bot may have. */
  static final int PENDING_MAX = 50;

  /** Event type: a bot shall be ended now. */
  static final String KILL_WANTED = "bot.kill_wanted";

  /** Event type: a bot has taken a command. */
  static final String ACKNOWLEDGED = "bot.command_acknowledged";

  /** Event type: a command was added. */
  static final String SENT = "bot.command_sent";

  /** The field of a command, and of its event, that names the rule that it comes from. */
  static final String RULE = "rule";

  private static final Logger log = LoggerFactory.getLogger(BotCommandQueue.class);

  private final Database database;
  private final Redis redis;
  private final Journal journal;
  private final CommandLongPolls waits;

  BotCommandQueue(Database database, Redis redis, Journal journal, CommandLongPolls waits) {
    this.database = database;
    this.redis = redis;
    this.journal = journal;
    this.waits = waits;
  }

  /** A command as the bot sees it: {@code {"id", "action", ...}}. */
  record PendingCommand(String id, String action, JsonNode payload) {
    ObjectNode message() {
      ObjectNode message = Json.mapper().createObjectNode();
      message.put("id", id);
      message.put("action", action);
      payload.properties().forEach(field -> message.set(field.getKey(), field.getValue()));
      return message;
    }
  }

  /** A command that a bot has not acknowledged. */
  record UnacknowledgedCommand(String connectionId, String id, String action, boolean byRule) {}

  /** A command and the bot that it is for. */
  private record AddressedCommand(BotRow row, PendingCommand command) {}

  /**
   * Writes a command to each of these bots in the caller's transaction and publishes them after the
   * commit.
   */
  void send(
      Tx tx,
      List<BotRow> rows,
      String action,
      Function<BotRow, Map<String, ?>> payload,
      String actor) {
    if (!rows.isEmpty()) {
      send(
          tx,
          action,
          rows.stream()
              .map(row -> new AddressedCommand(row, command(action, payload.apply(row))))
              .toList(),
          actor);
    }
  }

  /** The same with one bot; returns the id of the command. */
  String send(Tx tx, BotRow row, String action, Map<String, ?> payload, String actor) {
    PendingCommand command = command(action, payload);
    send(tx, action, List.of(new AddressedCommand(row, command)), actor);
    return command.id();
  }

  /** Keeps sound with a command until it is acknowledged; the bot asks for it. */
  static void attach(Tx tx, String commandId, byte[] audio) {
    int _ =
        tx.sql("update bot_commands set audio = ? where id = ?").with(audio, commandId).update();
  }

  /** The sound of a command that this launch has not acknowledged. */
  static Optional<byte[]> audio(Tx tx, String connectionId, String commandId) {
    return tx.sql(
            """
            select audio from bot_commands
            where id = ? and connection_id = ? and acked_at is null and audio is not null
            """)
        .with(commandId, connectionId)
        .first(resultRow -> resultRow.bytes("audio"));
  }

  /** Drops the sound of commands that a launch did not take. */
  static void dropAudio(Tx tx, String connectionId) {
    int _ =
        tx.sql(
                "update bot_commands set audio = null where connection_id = ? and audio is not"
                    + " null")
            .with(connectionId)
            .update();
  }

  private static PendingCommand command(String action, Map<String, ?> payload) {
    return new PendingCommand(UUID.randomUUID().toString(), action, Json.tree(payload));
  }

  private void send(Tx tx, String action, List<AddressedCommand> sent, String actor) {
    int _ =
        tx.sql(
                """
                insert into bot_commands (id, meeting_id, connection_id, action, payload)
                select id, meeting_id, connection_id, ?, payload::jsonb
                from unnest(?::text[], ?::bigint[], ?::text[], ?::text[])
                  as sent(id, meeting_id, connection_id, payload)
                """)
            .with(
                action,
                sent.stream().map(it -> it.command().id()).toArray(String[]::new),
                sent.stream().map(it -> it.row().id()).toArray(Long[]::new),
                sent.stream().map(it -> it.row().connectionId()).toArray(String[]::new),
                sent.stream().map(it -> it.command().payload().toString()).toArray(String[]::new))
            .update();
    journal.append(tx, sent.stream().map(it -> sent(it.row(), it.command(), actor)).toList());
    tx.afterCommit(
        () ->
            sent.forEach(
                it -> {
                  waits.wake(it.row().id());
                  publishAgain(it.row(), it.command());
                }));
  }

  /** Publishes a command that waits, in the background. */
  void publishAgain(BotRow row, PendingCommand command) {
    var _ = Thread.ofVirtual().name("publish").start(() -> publish(row, command));
  }

  /** Tells a bot to leave, without a row; true if a subscriber got it. */
  boolean publishLeave(BotRow row) {
    try {
      return publish(row, "{\"action\":\"leave\"}") > 0;
    } catch (RedisUnavailable e) {
      return false;
    }
  }

  /** Unacknowledged commands, oldest first. */
  static List<PendingCommand> pending(Tx tx, String connectionId) {
    return tx.sql(
            """
            select id, action, payload from bot_commands
            where connection_id = ? and acked_at is null order by created_at, id
            """)
        .with(connectionId)
        .list(
            resultRow ->
                new PendingCommand(
                    resultRow.text("id"), resultRow.text("action"), resultRow.json("payload")));
  }

  /** What these bots have not acknowledged, oldest first. */
  static List<UnacknowledgedCommand> pending(Tx tx, List<String> connectionIds) {
    return tx.sql(
            """
            select connection_id, id, action, payload -> 'rule' is not null as by_rule
            from bot_commands
            where connection_id = any(?) and acked_at is null order by created_at, id
            """)
        .with((Object) connectionIds.toArray(String[]::new))
        .list(
            resultRow ->
                new UnacknowledgedCommand(
                    resultRow.text("connection_id"),
                    resultRow.text("id"),
                    resultRow.text("action"),
                    resultRow.booleanAt("by_rule")));
  }

  /** Marks a command as taken; a second time changes nothing. False if it is not this bot's. */
  boolean ack(BotRow row, String commandId, CommandResult result, String actor) {
    return database.transaction(
        tx -> {
          Optional<PendingCommands> taken = take(tx, row.connectionId(), commandId, result);
          taken
              .filter(PendingCommands::first)
              .ifPresent(
                  command -> {
                    Map<String, Object> data = facts(row, commandId, command.action(), actor);
                    data.putAll(result.facts());
                    journal.append(tx, List.of(event(row, ACKNOWLEDGED, data)));
                  });
          return taken.isPresent();
        });
  }

  private record PendingCommands(String action, boolean first) {}

  private static Optional<PendingCommands> take(
      Tx tx, String connectionId, String commandId, CommandResult result) {
    return tx.sql(
            """
            update bot_commands c set acked_at = coalesce(c.acked_at, now()),
              result = coalesce(c.result, ?), audio = null
            from (select id, acked_at from bot_commands
                  where id = ? and connection_id = ? for update) old
            where c.id = old.id
            returning old.acked_at is null as first, c.action
            """)
        .with(
            result.facts().isEmpty() ? Optional.empty() : Optional.of(Json.tree(result.facts())),
            commandId,
            connectionId)
        .first(
            resultRow ->
                new PendingCommands(resultRow.text("action"), resultRow.booleanAt("first")));
  }

  /** Appends a changed start time to the journal, which wakes the launching nodes. */
  void tellOfMove(Tx tx, BotRow row, Instant to, String actor) {
    journal.append(tx, List.of(moved(row, row.startAt(), to, actor)));
  }

  /** The event of a changed start time. */
  static NewJournalEvent moved(BotRow row, Optional<Instant> from, Instant to, String actor) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", row.id());
    data.put("from", from.orElse(null));
    data.put("to", to);
    data.put("actor", actor);
    return NewJournalEvent.of(
        "bot.rescheduled",
        MeetingStatusChange.subject(row.id()),
        Optional.of(row.meeting().userId()),
        data);
  }

  /** Appends to the journal that a bot shall be ended now, which wakes the node that can end it. */
  void tellOfKill(Tx tx, BotRow row, String actor) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", row.id());
    data.put("actor", actor);
    data.put("attempt", row.attempt());
    journal.append(
        tx,
        List.of(
            NewJournalEvent.of(
                KILL_WANTED,
                MeetingStatusChange.subject(row.id()),
                Optional.of(row.meeting().userId()),
                data)));
  }

  private static NewJournalEvent sent(BotRow row, PendingCommand command, String actor) {
    Map<String, Object> data = facts(row, command.id(), command.action(), actor);
    if (command.payload().has(RULE)) {
      data.put(RULE, command.payload().path(RULE).asString());
    }
    return event(row, SENT, data);
  }

  private static NewJournalEvent event(BotRow row, String type, Map<String, Object> data) {
    return NewJournalEvent.of(
        type, MeetingStatusChange.subject(row.id()), Optional.of(row.meeting().userId()), data);
  }

  private static Map<String, Object> facts(
      BotRow row, String commandId, String action, String actor) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", row.id());
    data.put("command_id", commandId);
    data.put("action", action);
    data.put("actor", actor);
    data.put("attempt", row.attempt());
    return data;
  }

  /**
   * Publishes on the bot's channel. Vexa's bot sends no acknowledgement, so a message with at least
   * one receiver counts as acknowledged.
   */
  private void publish(BotRow row, PendingCommand command) {
    String message = command.message().toString();
    try {
      if (publish(row, message) > 0 && row.protocol() == BotProtocol.VEXA) {
        boolean _ = ack(row, command.id(), CommandResult.NOTHING_SAID, "delivery");
      }
    } catch (RedisUnavailable | StoreUnavailable e) {
      log.debug("command {} not published, or not noted as such", command.id());
    }
  }

  /** Publishes on the bot's channels; returns how many subscribers got it. */
  private long publish(BotRow row, String message) {
    long receivers = 0;
    for (String channel : channels(row)) {
      receivers += redis.call(commands -> commands.publish(channel, message));
    }
    return receivers;
  }

  /** Vexa's image listened by connection up to release 0.6, and listens by meeting since 0.9. */
  private static List<String> channels(BotRow row) {
    String own = "bot_commands:" + row.connectionId();
    return switch (row.protocol()) {
      case CONVOKE -> List.of(own);
      case VEXA -> List.of(own, "bot_commands:meeting:" + row.id());
    };
  }
}
