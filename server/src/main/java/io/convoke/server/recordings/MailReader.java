package io.convoke.server.recordings;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
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
 * Consumes {@link Mailbox the stream} in a consumer group, so that one node reads each entry. An
 * entry is acknowledged once its content is in the rows and its workflow started; until then it
 * stays pending, and another consumer claims it after an idle time. While Redis is away the
 * consumer reads the database inbox instead.
 */
final class MailReader implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MailReader.class);
  private static final String GROUP = "workers";
  private static final int BATCH = 16;
  private static final Duration WAIT = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** After which a letter of another reader counts as left behind. */
  private static final Duration LEFT_BEHIND = Duration.ofSeconds(60);

  private final Redis redis;
  private final Discovery discovery;
  private final RecordingSource source;
  private final RecordingStore store;
  private final RecordingInbox inbox;
  private final RecordingMeters meters;
  private final String node;
  private final Pause pause = new Pause();
  private final Signal<String> read = new Signal<>();
  private final Thread thread;
  private volatile @Nullable StatefulRedisConnection<String, String> waiting;
  private volatile boolean inboxDue = true;
  private long claimedAt = System.nanoTime() - LEFT_BEHIND.toNanos();

  MailReader(
      Redis redis,
      Discovery discovery,
      RecordingSource source,
      RecordingStore store,
      RecordingInbox inbox,
      RecordingMeters meters,
      String node) {
    this.redis = redis;
    this.discovery = discovery;
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

  /** Something was put into the inbox, or Redis was away. */
  void inboxDue() {
    inboxDue = true;
    pause.wake();
    var _ = Thread.ofVirtual().name("recordings-inbox").start(this::drainInbox);
  }

  /** Each letter's fate: {@code kept}, {@code later}, {@code useless}. */
  Signal<String> read() {
    return read;
  }

  @Override
  public void close() {
    pause.close();
    disconnect();
    thread.interrupt();
    try {
      boolean _ = thread.join(Duration.ofSeconds(5));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!pause.closed()) {
      try {
        drainInbox();
        step();
      } catch (RedisUnavailable | RedisException away) {
        disconnect();
        rest();
      } catch (StoreUnavailable | SqlFailure away) {
        log.info("news of recordings wait for the database: {}", away.getMessage());
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
            XReadArgs.StreamOffset.lastConsumed(Mailbox.STREAM));
  }

  private List<StreamMessage<String, String>> leftBehind(
      StatefulRedisConnection<String, String> connection) {
    return connection
        .sync()
        .xautoclaim(
            Mailbox.STREAM,
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
                  XReadArgs.StreamOffset.from(Mailbox.STREAM, "0-0"),
                  GROUP,
                  XGroupCreateArgs.Builder.mkstream());
    } catch (RedisCommandExecutionException refused) {
      // Another node may have been faster.
      if (!String.valueOf(refused.getMessage()).startsWith("BUSYGROUP")) {
        throw refused;
      }
    }
  }

  private void handle(List<StreamMessage<String, String>> letters) {
    for (StreamMessage<String, String> letter : letters) {
      Map<String, String> fields = letter.getBody();
      String body = fields == null ? "" : Optional.ofNullable(fields.get(Mailbox.BODY)).orElse("");
      if (taken(body.getBytes(StandardCharsets.UTF_8)) != Discovery.Taken.LATER) {
        String id = letter.getId();
        long _ = redis.call(commands -> commands.xack(Mailbox.STREAM, GROUP, id));
        long _ = redis.call(commands -> commands.xdel(Mailbox.STREAM, id));
      }
    }
  }

  private Discovery.Taken taken(byte[] body) {
    Discovery.Taken taken;
    String why = "no recording that it could be about";
    try {
      taken = discovery.take(source.news(body));
    } catch (StoreUnavailable | SqlFailure | RedisUnavailable away) {
      throw away;
    } catch (RuntimeException | Error bug) {
      log.error("news of a recording cannot be taken", bug);
      taken = Discovery.Taken.USELESS;
      why = "internal error";
    }
    if (taken == Discovery.Taken.USELESS) {
      store.deadLetter(why, body);
    }
    meters.letter(taken);
    read.emit(taken.name().toLowerCase(java.util.Locale.ROOT));
    return taken;
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
      boolean _ = pause.await(PAUSE);
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
