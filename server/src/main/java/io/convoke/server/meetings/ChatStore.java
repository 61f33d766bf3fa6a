package io.convoke.server.meetings;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The chat of meetings. Each new message is appended to the journal in the same transaction, as
 * {@code chat.message}.
 */
public final class ChatStore {
  /** The type of the event. */
  public static final String TYPE = "chat.message";

  private final Database database;
  private final Journal journal;

  /** Reads this database, and appends to this journal. */
  public ChatStore(Database database, Journal journal) {
    this.database = database;
    this.journal = journal;
  }

  /**
   * A message as a bot reports it.
   *
   * @param id names it in its session
   * @param fromBot whether the bot itself wrote it
   */
  public record ReportedMessage(
      String id, Optional<String> sender, String text, Instant at, boolean fromBot) {}

  /** A stored message. Ids grow in the order in which messages were stored. */
  public record ChatMessage(
      long id, Optional<String> sender, String text, Instant at, boolean fromBot) {
    static ChatMessage of(ResultRow resultRow) {
      return new ChatMessage(
          resultRow.longAt("id"),
          resultRow.maybeText("sender"),
          resultRow.text("text"),
          resultRow.instant("at"),
          resultRow.booleanAt("from_bot"));
    }
  }

  /** The data of an event. */
  record ChatMessageStored(
      long meetingId,
      String sessionUid,
      long id,
      Optional<String> sender,
      String text,
      Instant at,
      boolean fromBot) {}

  /**
   * Stores messages of one of the meeting's sessions; those that it has already change nothing.
   * Reports on one meeting wait for each other, so that a reader who knows a message has seen all
   * with smaller ids.
   */
  public void add(
      Tx tx, long meetingId, long userId, String sessionUid, List<ReportedMessage> messages) {
    var _ =
        tx.sql(
                "select id from meeting_sessions where meeting_id = ? order by id for no key"
                    + " update")
            .with(meetingId)
            .list(resultRow -> resultRow.longAt("id"));
    List<ChatMessage> added = insert(tx, meetingId, sessionUid, messages);
    if (!added.isEmpty()) {
      journal.append(
          tx, added.stream().map(it -> event(meetingId, userId, sessionUid, it)).toList());
    }
  }

  /** The messages of a meeting behind an id, in the order of their ids. */
  List<ChatMessage> list(long meetingId, long after, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, sender, text, at, from_bot from chat_messages
                    where meeting_id = ? and id > ? order by id limit ?
                    """)
                .with(meetingId, after, limit)
                .list(ChatMessage::of));
  }

  /** Returns those that were not stored yet, in the order of their ids. */
  private static List<ChatMessage> insert(
      Tx tx, long meetingId, String sessionUid, List<ReportedMessage> messages) {
    return tx.sql(
            """
            with added as (
              insert into chat_messages
                (meeting_id, session_uid, message_id, sender, text, at, from_bot)
              select ?, ?, m.message_id, m.sender, m.text, m.at, m.from_bot
              from unnest(?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::boolean[])
                with ordinality as m (message_id, sender, text, at, from_bot, n)
              order by m.n
              on conflict (session_uid, message_id) do nothing
              returning id, sender, text, at, from_bot)
            select * from added order by id
            """)
        .with(
            meetingId,
            sessionUid,
            messages.stream().map(ReportedMessage::id).toArray(String[]::new),
            messages.stream().map(it -> it.sender().orElse(null)).toArray(String[]::new),
            messages.stream().map(ReportedMessage::text).toArray(String[]::new),
            messages.stream().map(ReportedMessage::at).toArray(Instant[]::new),
            messages.stream().map(ReportedMessage::fromBot).toArray(Boolean[]::new))
        .list(ChatMessage::of);
  }

  private static NewJournalEvent event(
      long meetingId, long userId, String sessionUid, ChatMessage message) {
    return NewJournalEvent.of(
        TYPE,
        MeetingStatusChange.subject(meetingId),
        Optional.of(userId),
        new ChatMessageStored(
            meetingId,
            sessionUid,
            message.id(),
            message.sender(),
            message.text(),
            message.at(),
            message.fromBot()));
  }
}
