package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Tells a bot that is in its meeting to speak, or to write into the chat. */
final class TalkService {
  private final Database database;
  private final BotCommandQueue commands;

  TalkService(Database database, BotCommandQueue commands) {
    this.database = database;
    this.commands = commands;
  }

  /** What a bot is to say or write. */
  sealed interface Talk {
    /** Words that the bot turns into speech; a voice of its synthesizer, if one is wanted. */
    record SpokenText(String text, Optional<String> voice) implements Talk {}

    /** Sound that the bot plays. */
    record SpokenAudio(SpeechAudio audio) implements Talk {}

    /** A message for the chat. */
    record ChatText(String text) implements Talk {}
  }

  /** A command that a bot was given. */
  record BotCommandGiven(long meetingId, String commandId) {}

  /**
   * Adds the command.
   *
   * @throws Problem 409 if the bot is not in the meeting or takes no such commands, 429 with too
   *     many commands that it has not acknowledged
   */
  BotCommandGiven tell(long meetingId, Talk talk, String actor) {
    return database.transaction(
        tx -> {
          BotRow row = BotStore.lock(tx, meetingId).orElseThrow(() -> Problem.notFound("meeting"));
          check(tx, row);
          return new BotCommandGiven(row.id(), send(tx, row, talk, actor));
        });
  }

  private String send(Tx tx, BotRow row, Talk talk, String actor) {
    return switch (talk) {
      case Talk.SpokenText(String text, Optional<String> voice) -> {
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("text", text);
        voice.ifPresent(name -> payload.put("voice", name));
        yield commands.send(tx, row, "speak", payload, actor);
      }
      case Talk.SpokenAudio(SpeechAudio(byte[] wav)) -> {
        String id = commands.send(tx, row, "speak", Map.of("audio_bytes", wav.length), actor);
        BotCommandQueue.attach(tx, id, wav);
        yield id;
      }
      case Talk.ChatText(String text) ->
          commands.send(tx, row, "chat", Map.of("text", text), actor);
    };
  }

  private static void check(Tx tx, BotRow row) {
    Map<String, Object> status = Map.of("meeting_status", row.status().wireName());
    if (row.status().terminal()) {
      throw Problem.conflict("meeting_over", "The bot has ended.", status);
    }
    if (row.status() != MeetingStatus.ACTIVE || row.stopRequested()) {
      throw Problem.conflict("bot_not_in_meeting", "The bot is not in the meeting.", status);
    }
    switch (row.protocol()) {
      case CONVOKE -> {}
      case VEXA ->
          throw Problem.conflict(
              "not_for_this_bot", "Bots of Vexa's image do not take this command.", Map.of());
    }
    if (BotCommandQueue.pending(tx, row.connectionId()).size() >= BotCommandQueue.PENDING_MAX) {
      throw Problem.tooMany(
          "too_many_commands",
          "The bot has not acknowledged earlier commands.",
          Duration.ofSeconds(10));
    }
  }
}
