package io.convoke.server.recordings;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.Waiter;
import io.convoke.server.platform.RecordingSource;
import io.lettuce.core.Consumer;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XAutoClaimArgs;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes {@link RecordingStream the stream} in a consumer group, so that one node reads each
 * entry. An entry is acknowledged once its content is in the rows and its workflow started; until
 * then it stays pending, and another consumer claims it after an idle time. While Redis is
 * unreachable the consumer reads the database inbox instead.
 */
final class RecordingStreamConsumer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RecordingStreamConsumer.class);
  private static final String GROUP = "workers";
  private static final int BATCH = 16;
  private static final Duration WAIT = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Idle time after which another consumer's entry is claimed. */
  private static final Duration LEFT_BEHIND = Duration.ofSeconds(60);

  private final Redis redis;
  private final RecordingIngest recordingIngest;
  private final RecordingSource source;
  private final RecordingStore store;
  private final RecordingInbox inbox;
  private final RecordingMetrics meters;
  private final String node;
  private final Waiter waiter = new Waiter();
  private final TestSignal<String> read = new TestSignal<>();
  private final Thread thread;
  private volatile @Nullable StatefulRedisConnection<String, String> waiting;
  private volatile boolean inboxDue = true;
  private long claimedAt = System.nanoTime() - LEFT_BEHIND.toNanos();

  RecordingStreamConsumer(
      Redis redis,
      RecordingIngest recordingIngest,
      RecordingSource source,
      RecordingStore store,
      RecordingInbox inbox,
      RecordingMetrics meters,
      String node) {
    this.redis = redis;
    this.recordingIngest = recordingIngest;
    this.source = source;
    this.store = store;
    this.inbox = inbox;
    this.meters = meters;
    this.node = node;
    this.thread = Thread.ofVirtual().name("recordings-mail").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** The inbox has a new row, or Redis was unreachable. */
  void inboxDue() {
    inboxDue = true;
    waiter.wake();
    var _ = Thread.ofVirtual().name("recordings-inbox").start(this::drainInbox);
  }

  /** Emits the result for each entry: {@code kept}, {@code later}, {@code useless}. */
  TestSignal<String> read() {
    return read;
  }

  @Override
  public void close() {
    waiter.close();
    disconnect();
    thread.interrupt();
    try {
      boolean _ = thread.join(Duration.ofSeconds(5));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!waiter.closed()) {
      try {
        drainInbox();
        step();
      } catch (RedisUnavailable | RedisException away) {
        disconnect();
        rest();
      } catch (StoreUnavailable | SqlFailure away) {
        log.info("recording webhooks wait for the database: {}", away.getMessage());
        rest();
      } catch (RuntimeException | Error bug) {
        log.error("consuming recording webhooks failed; retrying", bug);
        rest();
      }
    }
  }

  private void step() {
    StatefulRedisConnection<String, String> connection = connection();
    try {
      long now = System.nanoTime();
      if (now - claimedAt >= LEFT_BEHIND.toNanos()) {
        handle(leftBehind(connection));
        claimedAt = now;
      }
      handle(fresh(connection));
    } catch (RedisCommandExecutionException refused) {
      if (!String.valueOf(refused.getMessage()).startsWith("NOGROUP")) {
        throw refused;
      }
      createGroup(connection);
    }
  }

  @SuppressWarnings("unchecked")
  private List<StreamMessage<String, String>> fresh(
      StatefulRedisConnection<String, String> connection) {
    return connection
        .sync()
        .xreadgroup(
            Consumer.from(GROUP, node),
            XReadArgs.Builder.block(WAIT).count(BATCH),
            XReadArgs.StreamOffset.lastConsumed(RecordingStream.STREAM));
  }

  private List<StreamMessage<String, String>> leftBehind(
      StatefulRedisConnection<String, String> connection) {
    return connection
        .sync()
        .xautoclaim(
            RecordingStream.STREAM,
            XAutoClaimArgs.Builder.xautoclaim(Consumer.from(GROUP, node), LEFT_BEHIND, "0-0")
                .count(BATCH))
        .getMessages();
  }

  private static void createGroup(StatefulRedisConnection<String, String> connection) {
    try {
      String _ =
          connection
              .sync()
              .xgroupCreate(
                  XReadArgs.StreamOffset.from(RecordingStream.STREAM, "0-0"),
                  GROUP,
                  XGroupCreateArgs.Builder.mkstream());
    } catch (RedisCommandExecutionException refused) {
      // Another node may have been faster.
      if (!String.valueOf(refused.getMessage()).startsWith("BUSYGROUP")) {
        throw refused;
      }
    }
  }

  private void handle(List<StreamMessage<String, String>> messages) {
    for (StreamMessage<String, String> message : messages) {
      Map<String, String> fields = message.getBody();
      String body =
          fields == null ? "" : Optional.ofNullable(fields.get(RecordingStream.BODY)).orElse("");
      if (taken(body.getBytes(StandardCharsets.UTF_8)) != RecordingIngest.IngestResult.LATER) {
        String id = message.getId();
        long _ = redis.call(commands -> commands.xack(RecordingStream.STREAM, GROUP, id));
        long _ = redis.call(commands -> commands.xdel(RecordingStream.STREAM, id));
      }
    }
  }

  private RecordingIngest.IngestResult taken(byte[] body) {
    RecordingIngest.IngestResult ingestResult;
    String why = "no matching recording";
    try {
      ingestResult = recordingIngest.ingest(source.parseWebhook(body));
    } catch (StoreUnavailable | SqlFailure | RedisUnavailable away) {
      throw away;
    } catch (RuntimeException | Error bug) {
      log.error("a recording webhook cannot be ingested", bug);
      ingestResult = RecordingIngest.IngestResult.USELESS;
      why = "internal error";
    }
    if (ingestResult == RecordingIngest.IngestResult.USELESS) {
      store.deadLetter(why, body);
    }
    meters.recordWebhook(ingestResult);
    read.emit(ingestResult.name().toLowerCase(java.util.Locale.ROOT));
    return ingestResult;
  }

  private void drainInbox() {
    if (inboxDue) {
      inboxDue = false;
      try {
        inbox.drain(this::taken);
      } catch (StoreUnavailable | SqlFailure away) {
        inboxDue = true;
        log.info("the inbox of recordings waits for the database: {}", away.getMessage());
      }
    }
  }

  private void rest() {
    try {
      boolean _ = waiter.await(PAUSE);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private StatefulRedisConnection<String, String> connection() {
    StatefulRedisConnection<String, String> connection = waiting;
    if (connection == null || !connection.isOpen()) {
      connection = redis.dedicated(WAIT);
      waiting = connection;
    }
    return connection;
  }

  private void disconnect() {
    StatefulRedisConnection<String, String> connection = waiting;
    waiting = null;
    if (connection != null && connection.isOpen()) {
      connection.close();
    }
  }
}
