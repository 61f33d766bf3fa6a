package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotCommandQueue.PendingCommand;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Writes heartbeats in groups: one statement for all that came since the last, at most five a
 * second, however many bots there are. The same statement reads status and commands for the
 * answers, and an answered heartbeat is in the row. If the statement fails, the bots get 503 and
 * their next heartbeat replaces the lost one.
 */
final class HeartbeatWriter implements AutoCloseable {
  /** Bound of the queue; beyond it a heartbeat is answered 503 at once. */
  private static final int WAITING_MAX = 20_000;

  private static final int GROUP_MAX = 5_000;
  private static final Duration GAP = Duration.ofMillis(200);

  /** The bot has heard more than at its last report, or reports for the first time. */
  private static final String HEARS_MORE =
      "b.hears and b.audio is distinct from (m.progress ->> 'audio_seconds')::float8";

  private final Database database;
  private final BotMetrics meters;
  private final LinkedBlockingQueue<QueuedHeartbeat> waiting =
      new LinkedBlockingQueue<>(WAITING_MAX);
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread writer;

  HeartbeatWriter(Database database, BotMetrics meters) {
    this.database = database;
    this.meters = meters;
    this.writer = Thread.ofVirtual().name("heartbeats").start(this::run);
  }

  /** The bot's row after its heartbeat. */
  record HeartbeatResult(MeetingStatus status, boolean current, List<PendingCommand> commands) {}

  private record QueuedHeartbeat(
      long meetingId,
      String connectionId,
      int attempt,
      Optional<HeartbeatProgress> progress,
      long arrivedNanos,
      CompletableFuture<HeartbeatResult> answer) {}

  /** Too many heartbeats wait already. */
  static final class HeartbeatsOverloaded extends RuntimeException {
    HeartbeatsOverloaded() {
      super("too many heartbeats wait to be written", null, false, false);
    }
  }

  /** Queues a heartbeat; the future ends with the group that wrote it. */
  CompletableFuture<HeartbeatResult> submit(
      long meetingId, String connectionId, int attempt, Optional<HeartbeatProgress> progress) {
    QueuedHeartbeat queuedHeartbeat =
        new QueuedHeartbeat(
            meetingId,
            connectionId,
            attempt,
            progress,
            System.nanoTime(),
            new CompletableFuture<>());
    if (closing.getCount() == 0 || !waiting.offer(queuedHeartbeat)) {
      queuedHeartbeat.answer().completeExceptionally(new HeartbeatsOverloaded());
    }
    return queuedHeartbeat.answer();
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
        List<QueuedHeartbeat> group = new ArrayList<>();
        group.add(waiting.take());
        int _ = waiting.drainTo(group, GROUP_MAX - 1);
        write(group);
        open = !closing.await(GAP.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      List<QueuedHeartbeat> rest = new ArrayList<>();
      int _ = waiting.drainTo(rest);
      rest.forEach(
          queuedHeartbeat ->
              queuedHeartbeat.answer().completeExceptionally(new HeartbeatsOverloaded()));
    }
  }

  private void write(List<QueuedHeartbeat> group) {
    Map<String, HeartbeatResult> pulses;
    try {
      pulses = beatAll(group);
    } catch (RuntimeException | Error e) {
      group.forEach(queuedHeartbeat -> queuedHeartbeat.answer().completeExceptionally(e));
      return;
    }
    long written = System.nanoTime();
    meters.written(group.size());
    group.forEach(
        queuedHeartbeat ->
            meters.recordHeartbeatLag(Duration.ofNanos(written - queuedHeartbeat.arrivedNanos())));
    HeartbeatResult unknown = new HeartbeatResult(MeetingStatus.FAILED, false, List.of());
    group.forEach(
        queuedHeartbeat ->
            queuedHeartbeat
                .answer()
                .complete(pulses.getOrDefault(queuedHeartbeat.connectionId(), unknown)));
  }

  private Map<String, HeartbeatResult> beatAll(List<QueuedHeartbeat> group) {
    Map<String, QueuedHeartbeat> unique = new TreeMap<>();
    group.forEach(queuedHeartbeat -> unique.put(queuedHeartbeat.connectionId(), queuedHeartbeat));
    List<QueuedHeartbeat> beats = List.copyOf(unique.values());
    Map<String, HeartbeatResult> pulses = new HashMap<>();
    for (Map.Entry<String, HeartbeatResult> pulse : database.transaction(tx -> write(tx, beats))) {
      pulses.put(pulse.getKey(), pulse.getValue());
    }
    return pulses;
  }

  private static List<Map.Entry<String, HeartbeatResult>> write(
      Tx tx, List<QueuedHeartbeat> beats) {
    return tx.sql(
            """
            with beat as (
              select b.*, b.audio is not null as hears
              from unnest(?::bigint[], ?::text[], ?::int[], ?::text[], ?::float8[], ?::timestamptz[])
                as b (id, connection_id, attempt, progress, audio, spoke_at)),
            alive as (
              update meetings m set updated_at = now(),
                ending = case when m.status = 'stopping' then m.ending end,
                progress = coalesce(b.progress::jsonb, m.progress),
                progressed_at = case when HEARS_MORE then now() else m.progressed_at end,
                stalled_at = case when HEARS_MORE then null else m.stalled_at end,
                spoke_at = greatest(m.spoke_at,
                  case when b.spoke_at is not null then least(b.spoke_at, now()) end)
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
            """
                .replace("HEARS_MORE", HEARS_MORE))
        .with(
            beats.stream().map(QueuedHeartbeat::meetingId).toArray(Long[]::new),
            beats.stream().map(QueuedHeartbeat::connectionId).toArray(String[]::new),
            beats.stream().map(QueuedHeartbeat::attempt).toArray(Integer[]::new),
            values(beats, progress -> Optional.of(progress.json())).toArray(String[]::new),
            values(beats, HeartbeatProgress::audioSeconds).toArray(Double[]::new),
            values(beats, HeartbeatProgress::lastSpeechAt).toArray(Instant[]::new))
        .list(
            resultRow ->
                Map.entry(
                    resultRow.text("connection_id"),
                    new HeartbeatResult(
                        MeetingStatus.of(resultRow.text("status")),
                        resultRow.booleanAt("current"),
                        commands(resultRow.json("commands")))));
  }

  /** One value of each heartbeat, null where it has none. */
  private static <T> List<@Nullable T> values(
      List<QueuedHeartbeat> beats, Function<HeartbeatProgress, Optional<T>> value) {
    List<@Nullable T> values = new ArrayList<>();
    beats.forEach(beat -> values.add(beat.progress().flatMap(value).orElse(null)));
    return values;
  }

  private static List<PendingCommand> commands(JsonNode array) {
    List<PendingCommand> commands = new ArrayList<>();
    array.forEach(
        command ->
            commands.add(
                new PendingCommand(
                    command.path("id").asString(),
                    command.path("action").asString(),
                    command.path("payload"))));
    return commands;
  }
}
