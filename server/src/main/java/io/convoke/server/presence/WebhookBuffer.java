package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RequestBatcher;
import io.convoke.server.platform.PresenceEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues webhooks in Redis with {@code signal.lua}. Webhooks that arrive during a call share the
 * next one, so a single webhook is sent at once and many are batched.
 */
final class WebhookBuffer {
  private static final LuaScript SIGNAL = LuaScript.resource(WebhookBuffer.class, "signal.lua");

  /** Webhooks in one call; bounds the script's run time. */
  private static final int BATCH_MAX = 64;

  /** Pending events per meeting; further ones are dropped and the poll finds their changes. */
  private static final int EVIDENCE_MAX = 10_000;

  /** Unrouted events and dead letters. */
  private static final int UNROUTED_MAX = 10_000;

  /** Minimum deduplication time of an event id; Daily retries for up to 15 minutes. */
  static final Duration DEDUP = Duration.ofMinutes(20);

  private final Redis redis;
  private final List<String> keys;
  private final Duration window;
  private final RequestBatcher<Item, BufferResult> calls;

  /** The arguments of {@code signal.lua} for one webhook; a dead letter has neither id nor room. */
  private record Item(String id, String room, String text) {
    static Item of(PresenceEvent event) {
      return new Item(event.eventId(), event.room(), Json.write(event));
    }
  }

  /** The result for one webhook. */
  enum BufferResult {
    SIGNALLED,
    REPEATED,
    /** The room is not in the map; a worker resolves it. */
    UNROUTED,
    LETTER,
    /** The list of unrouted events is full. */
    DROPPED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  WebhookBuffer(Redis redis, PlatformKeys keys, PresenceConfig terms) {
    this.redis = redis;
    this.keys =
        List.of(
            keys.of(PresenceKeys.ROOMS),
            keys.of(PresenceKeys.READY),
            keys.of(PresenceKeys.WAKE),
            keys.of(PresenceKeys.GENERATION),
            keys.of(PresenceKeys.UNROUTED),
            keys.of(PresenceKeys.EVENTS));
    this.window = terms.coalesceWindow();
    this.calls =
        new RequestBatcher<>(
            BATCH_MAX,
            1,
            items ->
                redis
                    .evalAsync(SIGNAL, this.keys, args(DEDUP, items))
                    .thenApply(WebhookBuffer::read));
  }

  /**
   * Returns when the event is in Redis.
   *
   * @throws io.convoke.engine.redis.RedisUnavailable when Redis did not confirm it within the
   *     command timeout
   */
  BufferResult accept(PresenceEvent event) {
    return calls.submit(Item.of(event));
  }

  /** Enqueues a dead letter. */
  BufferResult accept(DeadLetter deadLetter) {
    return calls.submit(new Item("", "", Json.write(deadLetter)));
  }

  /** Enqueues the events of one post, {@link #BATCH_MAX} in a call. */
  List<BufferResult> acceptAll(List<PresenceEvent> events) {
    List<BufferResult> results = new ArrayList<>();
    for (int from = 0; from < events.size(); from += BATCH_MAX) {
      List<Item> items =
          events.subList(from, Math.min(events.size(), from + BATCH_MAX)).stream()
              .map(Item::of)
              .toList();
      results.addAll(read(redis.eval(SIGNAL, keys, args(DEDUP, items))));
    }
    return results;
  }

  /** Enqueues events again, in one call, after their rooms were added to the map. */
  void acceptAgain(List<PresenceEvent> events) {
    Object _ =
        redis.eval(SIGNAL, keys, args(Duration.ZERO, events.stream().map(Item::of).toList()));
  }

  private List<String> args(Duration dedup, List<Item> items) {
    List<String> args = new ArrayList<>(4 + 3 * items.size());
    args.add(Long.toString(window.toMillis()));
    args.add(Long.toString(dedup.toMillis()));
    args.add(Integer.toString(EVIDENCE_MAX));
    args.add(Integer.toString(UNROUTED_MAX));
    items.forEach(item -> args.addAll(List.of(item.id(), item.room(), item.text())));
    return args;
  }

  private static List<BufferResult> read(@Nullable Object answer) {
    if (!(answer instanceof List<?> codes)) {
      throw new IllegalStateException("signal.lua answered " + answer);
    }
    return codes.stream().map(WebhookBuffer::outcome).toList();
  }

  private static BufferResult outcome(Object code) {
    return switch (String.valueOf(code)) {
      case "-1" -> BufferResult.REPEATED;
      case "-2" -> BufferResult.UNROUTED;
      case "-3" -> BufferResult.LETTER;
      case "-4" -> BufferResult.DROPPED;
      default -> BufferResult.SIGNALLED;
    };
  }
}
