package io.convoke.server.bots;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import io.convoke.server.bots.VexaStreamStore.StreamEntry;
import io.convoke.server.bots.VexaStreamStore.StreamPosition;
import io.lettuce.core.RedisException;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XTrimArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the streams that Vexa's image and its WhisperLive write to Redis: words, and before them
 * the names of speakers. How far it came is in the database, so that nodes may read the same
 * entries and each counts once; what was stored is trimmed away.
 */
final class VexaStreamReader implements AutoCloseable {
  /** The stream of words. */
  static final String WORDS = "transcription_segments";

  /** The stream of who speaks; only releases before 0.10 need it. */
  static final String SPEAKERS = "speaker_events_relative";

  private static final Logger log = LoggerFactory.getLogger(VexaStreamReader.class);
  private static final int BATCH = 200;
  private static final Duration WAIT = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Redis redis;
  private final VexaStreamStore store;
  private final Waiter waiter = new Waiter();
  private final Thread thread = Thread.ofVirtual().name("bots-words").unstarted(this::run);
  private volatile @Nullable StatefulRedisConnection<String, String> waiting;
  private boolean started;

  /**
   * How far this node knows each stream to be stored, for its own thread. It may be behind another
   * node's, which stores no entry twice; after a failure it is read again.
   */
  private final Map<String, StreamPosition> positions = new HashMap<>();

  VexaStreamReader(Redis redis, VexaStreamStore store) {
    this.redis = redis;
    this.store = store;
  }

  synchronized void start() {
    started = true;
    thread.start();
  }

  @Override
  public synchronized void close() {
    waiter.close();
    if (!started) {
      return;
    }
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
        List<StreamMessage<String, String>> words = words();
        speakers();
        store(WORDS, words, VexaEntry::words);
      } catch (RedisUnavailable | RedisException away) {
        disconnect();
        failed();
      } catch (StoreUnavailable away) {
        log.info("words of bots wait for the database: {}", away.getMessage());
        failed();
      } catch (RuntimeException | Error bug) {
        log.error("reading the words of bots failed; retrying", bug);
        failed();
      }
    }
  }

  @SuppressWarnings("unchecked")
  private List<StreamMessage<String, String>> words() {
    StreamPosition from = position(WORDS);
    return connection()
        .sync()
        .xread(
            XReadArgs.Builder.block(WAIT).count(BATCH),
            XReadArgs.StreamOffset.from(WORDS, from.toString()));
  }

  /** All that is there; words that were said before them have waited. */
  @SuppressWarnings("unchecked")
  private void speakers() {
    List<StreamMessage<String, String>> edges;
    do {
      StreamPosition from = position(SPEAKERS);
      edges =
          redis.call(
              SPEAKERS,
              commands ->
                  commands.xread(
                      XReadArgs.Builder.count(BATCH),
                      XReadArgs.StreamOffset.from(SPEAKERS, from.toString())));
      store(SPEAKERS, edges, VexaEntry::speaker);
    } while (edges.size() == BATCH);
  }

  private void store(
      String stream,
      List<StreamMessage<String, String>> messages,
      Function<Map<String, String>, VexaEntry> reader) {
    if (messages.isEmpty()) {
      return;
    }
    List<StreamEntry> entries =
        messages.stream()
            .map(
                message ->
                    new StreamEntry(
                        StreamPosition.of(message.getId()),
                        reader.apply(Optional.ofNullable(message.getBody()).orElse(Map.of()))))
            .toList();
    StreamPosition to;
    try {
      to = store.store(stream, entries);
      StreamPosition _ = positions.put(stream, to);
    } catch (SqlFailure refused) {
      log.warn("a batch of words is stored one by one: {}", refused.getMessage());
      to = entries.getLast().id();
      for (StreamEntry entry : entries) {
        alone(stream, entry);
      }
      StreamPosition _ = positions.remove(stream);
    }
    String stored = to.toString();
    long _ =
        redis.call(stream, commands -> commands.xtrim(stream, XTrimArgs.Builder.minId(stored)));
  }

  /** An entry that the database refuses for its content must not hold up the others. */
  private void alone(String stream, StreamEntry entry) {
    try {
      StreamPosition _ = store.store(stream, List.of(entry));
    } catch (SqlFailure refused) {
      log.error("an entry of {} cannot be stored and is passed over", stream, refused);
      store.skip(stream, entry.id());
    }
  }

  private StreamPosition position(String stream) {
    return positions.computeIfAbsent(stream, store::position);
  }

  private void failed() {
    positions.clear();
    try {
      boolean _ = waiter.await(PAUSE);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private StatefulRedisConnection<String, String> connection() {
    StatefulRedisConnection<String, String> connection = waiting;
    if (connection == null || !connection.isOpen()) {
      connection = redis.dedicated(WORDS, WAIT);
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
