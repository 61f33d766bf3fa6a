package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotCommands.Pending;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * Writes heartbeats in groups: one statement for all that came since the last, at most five a
 * second, however many bots there are. The same statement reads status and commands for the
 * answers, and an answered heartbeat is in the row. If the statement fails, the bots get 503 and
 * their next heartbeat replaces the lost one.
 */
final class Heartbeats implements AutoCloseable {
  /** Bound of the queue; beyond it a heartbeat is answered 503 at once. */
  private static final int WAITING_MAX = 20_000;

  private static final int GROUP_MAX = 5_000;
  private static final Duration GAP = Duration.ofMillis(200);

  private final Database database;
  private final BotMeters meters;
  private final LinkedBlockingQueue<Beat> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread writer;

  Heartbeats(Database database, BotMeters meters) {
    this.database = database;
    this.meters = meters;
    this.writer = Thread.ofVirtual().name("heartbeats").start(this::run);
  }

  /** The bot's row after its heartbeat. */
  record Pulse(MeetingStatus status, boolean current, List<Pending> commands) {}

  private record Beat(
      long meetingId,
      String connectionId,
      int attempt,
      long arrivedNanos,
      CompletableFuture<Pulse> answer) {}

  /** Too many heartbeats wait already. */
  static final class Overloaded extends RuntimeException {
    Overloaded() {
      super("too many heartbeats wait to be written", null, false, false);
    }
  }

  /** Queues a heartbeat; the future ends with the group that wrote it. */
  CompletableFuture<Pulse> beat(long meetingId, String connectionId, int attempt) {
    Beat beat =
        new Beat(meetingId, connectionId, attempt, System.nanoTime(), new CompletableFuture<>());
    if (closing.getCount() == 0 || !waiting.offer(beat)) {
      beat.answer().completeExceptionally(new Overloaded());
    }
    return beat.answer();
  }

  @Override
  public void close() {
    closing.countDown();
    writer.interrupt();
  }

  private void run() {
    try {
      boolean open = true;
      while (open) {
        List<Beat> group = new ArrayList<>();
        group.add(waiting.take());
        int _ = waiting.drainTo(group, GROUP_MAX - 1);
        write(group);
        open = !closing.await(GAP.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      List<Beat> rest = new ArrayList<>();
      int _ = waiting.drainTo(rest);
      rest.forEach(beat -> beat.answer().completeExceptionally(new Overloaded()));
    }
  }

  private void write(List<Beat> group) {
    Map<String, Pulse> pulses;
    try {
      pulses = beatAll(group);
    } catch (RuntimeException | Error e) {
      group.forEach(beat -> beat.answer().completeExceptionally(e));
      return;
    }
    long written = System.nanoTime();
    meters.written(group.size());
    group.forEach(beat -> meters.heard(Duration.ofNanos(written - beat.arrivedNanos())));
    Pulse unknown = new Pulse(MeetingStatus.FAILED, false, List.of());
    group.forEach(
        beat -> beat.answer().complete(pulses.getOrDefault(beat.connectionId(), unknown)));
  }

  private Map<String, Pulse> beatAll(List<Beat> group) {
    Map<String, Beat> unique = new TreeMap<>();
    group.forEach(beat -> unique.put(beat.connectionId(), beat));
    List<Beat> beats = List.copyOf(unique.values());
    Map<String, Pulse> pulses = new HashMap<>();
    for (Map.Entry<String, Pulse> pulse : database.transaction(tx -> write(tx, beats))) {
      pulses.put(pulse.getKey(), pulse.getValue());
    }
    return pulses;
  }

  private static List<Map.Entry<String, Pulse>> write(Tx tx, List<Beat> beats) {
    return tx.sql(
            """
            with beat as (
              select * from unnest(?::bigint[], ?::text[], ?::int[]) as b (id, connection_id, attempt)),
            alive as (
              update meetings m set updated_at = now(),
                ending = case when m.status = 'stopping' then m.ending end
              from beat b
              where m.id = b.id and m.connection_id = b.connection_id and m.attempt = b.attempt
                and not m.tracked and m.status in ('starting', 'active', 'stopping'))
            select b.connection_id, m.status,
              m.connection_id = b.connection_id and m.attempt = b.attempt as current,
              coalesce((
                select jsonb_agg(
                  jsonb_build_object('id', c.id, 'action', c.action, 'payload', c.payload)
                  order by c.created_at, c.id)
                from bot_commands c
                where c.connection_id = b.connection_id and c.acked_at is null), '[]') as commands
            from beat b join meetings m on m.id = b.id and not m.tracked
            """)
        .with(
            beats.stream().map(Beat::meetingId).toArray(Long[]::new),
            beats.stream().map(Beat::connectionId).toArray(String[]::new),
            beats.stream().map(Beat::attempt).toArray(Integer[]::new))
        .list(
            row ->
                Map.entry(
                    row.text("connection_id"),
                    new Pulse(
                        MeetingStatus.of(row.text("status")),
                        row.booleanAt("current"),
                        commands(row.json("commands")))));
  }

  private static List<Pending> commands(JsonNode array) {
    List<Pending> commands = new ArrayList<>();
    array.forEach(
        command ->
            commands.add(
                new Pending(
                    command.path("id").asString(),
                    command.path("action").asString(),
                    command.path("payload"))));
    return commands;
  }
}
