package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.Script;
import io.convoke.server.presence.merge.Evidence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Brings events into Redis. While one call is on its way the next events gather, so under load many
 * events share one call and alone an event waits for nothing.
 */
final class WebhookIntake {
  private static final Script SIGNAL = Script.resource(WebhookIntake.class, "signal.lua");

  /** Events in one call; bounds how long Redis is busy with it. */
  private static final int BATCH_MAX = 64;

  /** Evidence that waits for one meeting; beyond it the poll alone finds the truth. */
  private static final int EVIDENCE_MAX = 10_000;

  /** Events that wait for a room, and letters. */
  private static final int UNROUTED_MAX = 10_000;

  /** How long an event id is known at least; Daily repeats within a quarter of an hour. */
  static final Duration DEDUP = Duration.ofMinutes(20);

  private static final List<String> KEYS =
      List.of(Keys.ROOMS, Keys.READY, Keys.WAKE, Keys.GENERATION, Keys.UNROUTED, Keys.EVENTS);

  private final Redis redis;
  private final Duration window;
  private final ConcurrentLinkedQueue<Waiting> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean busy = new AtomicBoolean();

  private record Waiting(String id, String room, String text, CompletableFuture<Outcome> outcome) {}

  /** What became of an event. */
  enum Outcome {
    SIGNALLED,
    REPEATED,
    /** The room is not in the map; a worker looks it up. */
    UNROUTED,
    LETTER,
    /** The list of unrouted events is full. */
    DROPPED;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  WebhookIntake(Redis redis, PresenceTerms terms) {
    this.redis = redis;
    this.window = terms.coalesceWindow();
  }

  /**
   * Completes when the event is in Redis; fails with RedisUnavailable when it may not be, within
   * the time that Redis is given for a command.
   */
  CompletableFuture<Outcome> accept(Evidence evidence) {
    return accept(
        new Waiting(
            evidence.eventId(),
            evidence.room(),
            EvidenceText.write(evidence),
            new CompletableFuture<>()));
  }

  CompletableFuture<Outcome> accept(Arrival.Letter letter) {
    return accept(new Waiting("", "", Json.write(letter), new CompletableFuture<>()));
  }

  /** Signals evidence that was accepted before, when its room has become known. */
  void again(List<Evidence> evidence) {
    List<String> args = header(Duration.ZERO);
    for (Evidence one : evidence) {
      args.addAll(List.of(one.eventId(), one.room(), EvidenceText.write(one)));
    }
    Object _ = redis.eval(SIGNAL, KEYS, args);
  }

  private CompletableFuture<Outcome> accept(Waiting waiting) {
    queue.add(waiting);
    sendIfIdle();
    return waiting.outcome();
  }

  private void sendIfIdle() {
    while (!queue.isEmpty() && busy.compareAndSet(false, true)) {
      List<Waiting> batch = new ArrayList<>();
      for (Waiting next = queue.poll(); next != null; next = queue.poll()) {
        batch.add(next);
        if (batch.size() == BATCH_MAX) {
          break;
        }
      }
      if (batch.isEmpty()) {
        busy.set(false);
        continue;
      }
      send(batch);
      return;
    }
  }

  private void send(List<Waiting> batch) {
    List<String> args = header(DEDUP);
    for (Waiting waiting : batch) {
      args.add(waiting.id());
      args.add(waiting.room());
      args.add(waiting.text());
    }
    var _ =
        redis
            .evalAsync(SIGNAL, KEYS, args)
            .whenComplete(
                (answer, error) -> {
                  busy.set(false);
                  sendIfIdle();
                  settle(batch, answer, error);
                });
  }

  private static void settle(
      List<Waiting> batch, @Nullable Object answer, @Nullable Throwable error) {
    for (int i = 0; i < batch.size(); i++) {
      if (error == null && answer instanceof List<?> codes && codes.get(i) instanceof Long code) {
        batch.get(i).outcome().complete(outcome(code));
      } else {
        batch
            .get(i)
            .outcome()
            .completeExceptionally(
                error == null ? new IllegalStateException("signal.lua answered " + answer) : error);
      }
    }
  }

  private static Outcome outcome(long code) {
    return switch (Math.toIntExact(code)) {
      case -1 -> Outcome.REPEATED;
      case -2 -> Outcome.UNROUTED;
      case -3 -> Outcome.LETTER;
      case -4 -> Outcome.DROPPED;
      default -> Outcome.SIGNALLED;
    };
  }

  private List<String> header(Duration dedup) {
    List<String> args = new ArrayList<>();
    args.add(Long.toString(window.toMillis()));
    args.add(Long.toString(dedup.toMillis()));
    args.add(Integer.toString(EVIDENCE_MAX));
    args.add(Integer.toString(UNROUTED_MAX));
    return args;
  }
}
