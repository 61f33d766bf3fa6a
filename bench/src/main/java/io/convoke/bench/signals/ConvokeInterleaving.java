package io.convoke.bench.signals;

import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.LuaScript;
import io.convoke.server.presence.PresenceFeature;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The server's own scripts, called as WebhookBuffer and ReadyQueue call them, with their terms. */
final class ConvokeInterleaving extends SignalInterleaving {
  private static final LuaScript SIGNAL = script("signal.lua");
  private static final LuaScript REQUEST = script("request.lua");
  private static final LuaScript CLAIM = script("claim.lua");
  private static final LuaScript END_CLAIM = script("end_claim.lua");

  private static final long RECHECK_MILLIS = 10_000;
  private static final long NODE_ALIVE_MILLIS = 15_000;
  private static final long CONFIRM_MILLIS = 15_000;
  private static final long BACKOFF_MILLIS = 1_000;
  private static final long DEDUP_MILLIS = 1_200_000;
  private static final String BOUND = "10000";

  /** Interval of the scan for foreign flags while meetings are live. */
  private static final long STRAYS_MILLIS = 4_050;

  private static final String[] REASONS = {"timer", "bulk", "recovery", "flag"};

  private final long windowMillis;
  private final long pauseMillis;
  private int tokens;

  /** Whether Postgres took the evidence of the claim that ends. */
  private boolean stored;

  private QuietPhase quietPhase = QuietPhase.CLAIM;
  private long waiting = -1;

  /**
   * Steps of the quiet phase: claim until idle, then scan for foreign flags, then advance the
   * clock.
   */
  private enum QuietPhase {
    CLAIM,
    LOOK,
    REQUEST,
    PASS,
    LAST,
    DONE
  }

  ConvokeInterleaving(long seed, String id) {
    super(seed, id);
    windowMillis = draw(3) == 0 ? 0 : 1_500;
    pauseMillis = draw(3) == 0 ? 0 : 1_000;
  }

  private static LuaScript script(String name) {
    return LuaScript.resource(PresenceFeature.class, name);
  }

  static List<LuaScript> protocol() {
    return List.of(SIGNAL, REQUEST, CLAIM, END_CLAIM);
  }

  @Override
  RedisCall opening() {
    return RedisCall.of("HSET", keys().rooms(), "room", keys().id());
  }

  @Override
  RedisCall signal(SignalKind signalKind, int number) {
    return switch (signalKind) {
      case STRANGER -> RedisCall.of("SET", keys().flag(), "1");
      case TIMER ->
          RedisCall.eval(
              REQUEST,
              List.of(keys().ready(), keys().wake()),
              REASONS[draw(REASONS.length - 1)],
              keys().id());
      case WEBHOOK ->
          RedisCall.eval(
              SIGNAL,
              List.of(
                  keys().rooms(),
                  keys().ready(),
                  keys().wake(),
                  InterleavingRunner.GENERATION,
                  keys().unrouted(),
                  keys().events()),
              Long.toString(windowMillis),
              Long.toString(DEDUP_MILLIS),
              BOUND,
              BOUND,
              "event-" + number,
              "room",
              Integer.toString(number));
    };
  }

  @Override
  RedisCall attempt(PollWorker pollWorker) {
    pollWorker.take("presence:" + pollWorker.node() + ":" + Integer.toHexString(tokens++));
    return RedisCall.eval(
        CLAIM,
        List.of(
            keys().ready(),
            keys().wake(),
            LeaseRenewer.EPOCH_KEY,
            keys().unrouted(),
            MeetingKeys.node(pollWorker.node())),
        pollWorker.token(),
        LEASE,
        Long.toString(RECHECK_MILLIS),
        Long.toString(NODE_ALIVE_MILLIS),
        Long.toString(pauseMillis),
        "20");
  }

  @Override
  void attempted(PollWorker pollWorker, @Nullable Object answer) {
    if (!(answer instanceof List<?> fields)) {
      throw new IllegalStateException("claim.lua answered " + answer);
    }
    String mode = String.valueOf(fields.getFirst());
    if (mode.equals("idle")) {
      waiting = number(fields, 1);
      expectIn(waiting);
      quietPhase = waiting == 0 ? QuietPhase.CLAIM : QuietPhase.LOOK;
      return;
    }
    List<String> evidence = new ArrayList<>();
    fields.subList(7, fields.size()).forEach(one -> evidence.add(String.valueOf(one)));
    expectIn(-1);
    quietPhase = QuietPhase.CLAIM;
    begin(pollWorker, mode.equals("poll"), number(fields, 2), evidence);
  }

  @Override
  RedisCall end(PollWorker pollWorker, boolean failed) {
    boolean confirm = !failed && pollWorker.poll() && draw(8) == 0;
    stored = !failed || (pollWorker.poll() && draw(2) == 0);
    return RedisCall.eval(
        END_CLAIM,
        List.of(keys().ready(), keys().wake()),
        keys().id(),
        pollWorker.token(),
        pollWorker.poll() ? "poll" : "evidence",
        failed ? (stored ? "failed" : "unstored") : "ok",
        Long.toString(pollWorker.dirty()),
        Integer.toString(pollWorker.evidence().size()),
        Long.toString(confirm ? CONFIRM_MILLIS : -1),
        Long.toString(failed ? BACKOFF_MILLIS : 0));
  }

  @Override
  void ended(PollWorker pollWorker, boolean failed, @Nullable Object answer) {
    if (!(answer instanceof List<?> ending && ending.getFirst() instanceof Long due)) {
      throw new IllegalStateException("end_claim.lua answered " + answer);
    }
    expectIn(due);
    if (due == -2) {
      report(pollWorker.node() + " is refused: the lease is not its own any more");
      return;
    }
    if (stored) {
      pollWorker.evidence().forEach(text -> onSignalDelivered(Integer.parseInt(text)));
    }
    if (!failed) {
      onServed(pollWorker);
    }
  }

  @Override
  Optional<RedisCall> settle() {
    return switch (quietPhase) {
      case CLAIM -> Optional.of(attemptInQuiet());
      case LOOK -> Optional.of(RedisCall.of("GET", keys().flag()));
      case REQUEST ->
          Optional.of(
              RedisCall.eval(
                  REQUEST, List.of(keys().ready(), keys().wake()), REASONS[3], keys().id()));
      case PASS -> {
        quietPhase = QuietPhase.CLAIM;
        yield Optional.of(elapse(Math.min(waiting, STRAYS_MILLIS) + 1));
      }
      case LAST -> Optional.of(RedisCall.of("LLEN", keys().evidence()));
      case DONE -> Optional.empty();
    };
  }

  @Override
  void settled(@Nullable Object answer) {
    switch (quietPhase) {
      case LOOK ->
          quietPhase =
              "1".equals(answer)
                  ? QuietPhase.REQUEST
                  : waiting < 0 ? QuietPhase.LAST : QuietPhase.PASS;
      case REQUEST -> quietPhase = waiting < 0 ? QuietPhase.CLAIM : QuietPhase.PASS;
      case LAST -> {
        if (!Long.valueOf(0).equals(answer)) {
          report("evidence is left over: " + answer);
        }
        quietPhase = QuietPhase.DONE;
      }
      case CLAIM, PASS, DONE -> {}
    }
  }

  @Override
  void calm() {
    quietPhase = QuietPhase.CLAIM;
  }

  private static long number(List<?> fields, int index) {
    return fields.get(index) instanceof Long number
        ? number
        : Long.parseLong(String.valueOf(fields.get(index)));
  }
}
