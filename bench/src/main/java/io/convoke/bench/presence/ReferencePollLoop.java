package io.convoke.bench.presence;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The algorithm of presence-3 as first specified, one worker: each poll takes the flag of every
 * active meeting with {@code GETDEL}, locks each flagged one, requests its room, reads its
 * sessions, writes each new session, closes each ended one and writes {@code num_clients}; the
 * timer sets the flag of every meeting. Several threads share a poll, which changes its duration
 * and not its cost.
 */
final class ReferencePollLoop implements AutoCloseable {
  private static final int THREADS = 4;
  private static final long LOCK_MILLIS = 120_000;

  private final RedisClient client;
  private final ConnectionOpener connectionOpener;
  private final FakeDaily platform;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

  /** Opens a connection to the database. */
  interface ConnectionOpener {
    Connection open() throws SQLException;
  }

  /** A meeting and the number of its room. */
  private record ActiveMeeting(long id, int room) {}

  ReferencePollLoop(String redisUrl, ConnectionOpener connectionOpener, FakeDaily platform) {
    this.client = RedisClient.create(redisUrl);
    this.connectionOpener = connectionOpener;
    this.platform = platform;
  }

  /** The timer: every flag, whatever happened. */
  void timer() throws Exception {
    List<ActiveMeeting> all = active();
    share(all, (redis, database, meeting) -> set(redis, meeting.id()));
  }

  /** Sets one flag for each webhook. */
  void webhooks(List<Integer> rooms) throws SQLException {
    Set<Integer> moved = Set.copyOf(rooms);
    List<ActiveMeeting> signalled =
        active().stream().filter(meeting -> moved.contains(meeting.room())).toList();
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      signalled.forEach(meeting -> set(connection.sync(), meeting.id()));
    }
  }

  /** Polls all active meetings once. */
  void pollOnce() throws Exception {
    share(active(), this::serve);
  }

  @Override
  public void close() {
    threads.close();
    client.shutdown();
  }

  private static void set(RedisCommands<String, String> redis, long meeting) {
    String _ = redis.set("meeting_poll_requested:" + meeting, "1");
  }

  private void serve(
      RedisCommands<String, String> redis, Connection database, ActiveMeeting meeting)
      throws SQLException {
    if (redis.getdel("meeting_poll_requested:" + meeting.id()) == null) {
      return;
    }
    String lock = "meeting_presence_poll:" + meeting.id();
    if (redis.set(lock, "seed", SetArgs.Builder.nx().px(LOCK_MILLIS)) == null) {
      return;
    }
    List<String> shown = platform.ask(meeting.room());
    Set<String> held = held(database, meeting.id());
    for (String session : shown) {
      if (!held.contains(session)) {
        write(
            database,
            """
            insert into participant_sessions
              (meeting_id, session_id, joined_at, join_source, last_seen_at)
            values (?, ?, now(), 'poll', now()) on conflict do nothing
            """,
            meeting.id(),
            session);
      }
    }
    for (String session : held) {
      if (!shown.contains(session)) {
        write(
            database,
            """
            update participant_sessions set left_at = now(), leave_source = 'poll'
            where meeting_id = ? and session_id = ? and left_at is null
            """,
            meeting.id(),
            session);
      }
    }
    write(
        database,
        """
        update meetings set num_clients = (
          select count(*) from participant_sessions s
          where s.meeting_id = meetings.id and s.left_at is null)
        where id = ? and ?::text is not null
        """,
        meeting.id(),
        "count");
    long _ = redis.del(lock);
  }

  private static Set<String> held(Connection database, long meeting) throws SQLException {
    try (PreparedStatement statement =
        database.prepareStatement(
            "select session_id from participant_sessions where meeting_id = ? and left_at is"
                + " null")) {
      statement.setLong(1, meeting);
      Set<String> held = new HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          boolean _ = held.add(rows.getString(1));
        }
      }
      return held;
    }
  }

  private static void write(Connection database, String sql, long meeting, String session)
      throws SQLException {
    try (PreparedStatement statement = database.prepareStatement(sql)) {
      statement.setLong(1, meeting);
      statement.setString(2, session);
      int _ = statement.executeUpdate();
    }
  }

  private List<ActiveMeeting> active() throws SQLException {
    List<ActiveMeeting> all = new ArrayList<>();
    try (Connection database = connectionOpener.open();
        Statement statement = database.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                select id, platform_specific_id from convoke.meetings
                where platform = 'daily' and status = 'active' order by id
                """)) {
      while (rows.next()) {
        all.add(new ActiveMeeting(rows.getLong(1), FakeDaily.number(rows.getString(2))));
      }
    }
    return all;
  }

  private interface PollLoopWork {
    void on(RedisCommands<String, String> redis, Connection database, ActiveMeeting meeting)
        throws SQLException;
  }

  private void share(List<ActiveMeeting> all, PollLoopWork pollLoopWork) throws Exception {
    List<Future<?>> parts = new ArrayList<>();
    for (int part = 0; part < THREADS; part++) {
      List<ActiveMeeting> mine =
          all.subList(all.size() * part / THREADS, all.size() * (part + 1) / THREADS);
      parts.add(
          threads.submit(
              () -> {
                try (StatefulRedisConnection<String, String> connection = client.connect();
                    Connection database = connectionOpener.open();
                    Statement settings = database.createStatement()) {
                  // The duration of a commit is not measured.
                  boolean _ = settings.execute("set synchronous_commit = off");
                  boolean _ = settings.execute("set search_path = convoke, public");
                  for (ActiveMeeting meeting : mine) {
                    pollLoopWork.on(connection.sync(), database, meeting);
                  }
                  return mine;
                }
              }));
    }
    for (Future<?> part : parts) {
      var _ = part.get();
    }
  }
}
