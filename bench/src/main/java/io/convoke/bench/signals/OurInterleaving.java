package io.convoke.bench.signals;

import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Script;
import io.convoke.server.presence.Presence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The server's own scripts, called as WebhookBuffer and ReadyQueue call them, with their terms. */
final class OurInterleaving extends Interleaving {
  private static final Script SIGNAL = script("signal.lua");
  private static final Script REQUEST = script("request.lua");
  private static final Script CLAIM = script("claim.lua");
  private static final Script SERVED = script("served.lua");

  private static final long RECHECK_MILLIS = 10_000;
  private static final long NODE_ALIVE_MILLIS = 15_000;
  private static final long CONFIRM_MILLIS = 15_000;
  private static final long BACKOFF_MILLIS = 1_000;
  private static final long DEDUP_MILLIS = 1_200_000;
  private static final String BOUND = "10000";

  /** How often strangers' flags are looked for while meetings are live. */
  private static final long STRAYS_MILLIS = 4_050;

  private static final String[] REASONS = {"timer", "bulk", "recovery", "flag"};

  private final long windowMillis;
  private final long pauseMillis;
  private int tokens;
  private Quiet quiet = Quiet.CLAIM;
  private long waiting = -1;

  /** Where the quiet is: claim until idle, then look for strangers' flags, then let time pass. */
  private enum Quiet {
    CLAIM,
    LOOK,
    REQUEST,
    PASS,
    LAST,
    DONE
  }

  OurInterleaving(long seed, String id) {
    super(seed, id);
    windowMillis = draw(3) == 0 ? 0 : 1_500;
    pauseMillis = draw(3) == 0 ? 0 : 1_000;
  }

  private static Script script(String name) {
    return Script.resource(Presence.class, name);
  }

  static List<Script> protocol() {
    return List.of(SIGNAL, REQUEST, CLAIM, SERVED);
  }

  @Override
  Call opening() {
    return Call.of("HSET", keys().rooms(), "room", keys().id());
  }

  @Override
  Call signal(Kind kind, int number) {
    return switch (kind) {
      case STRANGER -> Call.of("SET", keys().flag(), "1");
      case TIMER ->
          Call.eval(
              REQUEST,
              List.of(keys().ready(), keys().wake()),
              REASONS[draw(REASONS.length - 1)],
              keys().id());
      case WEBHOOK ->
          Call.eval(
              SIGNAL,
              List.of(
                  keys().rooms(),
                  keys().ready(),
                  keys().wake(),
                  Lane.GENERATION,
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
  Call attempt(Worker worker) {
    worker.take("presence:" + worker.node() + ":" + Integer.toHexString(tokens++));
    return Call.eval(
        CLAIM,
        List.of(
            keys().ready(),
            keys().wake(),
            LeaseKeeper.EPOCH_KEY,
            keys().unrouted(),
            MeetingKeys.node(worker.node())),
        worker.token(),
        LEASE,
        Long.toString(RECHECK_MILLIS),
        Long.toString(NODE_ALIVE_MILLIS),
        Long.toString(pauseMillis),
        "20");
  }

  @Override
  void attempted(Worker worker, @Nullable Object answer) {
    if (!(answer instanceof List<?> fields)) {
      throw new IllegalStateException("claim.lua answered " + answer);
    }
    String mode = String.valueOf(fields.getFirst());
    if (mode.equals("idle")) {
      waiting = number(fields, 1);
      expectIn(waiting);
      quiet = waiting == 0 ? Quiet.CLAIM : Quiet.LOOK;
      return;
    }
    List<String> evidence = new ArrayList<>();
    fields.subList(7, fields.size()).forEach(one -> evidence.add(String.valueOf(one)));
    expectIn(-1);
    quiet = Quiet.CLAIM;
    begin(worker, mode.equals("poll"), number(fields, 2), evidence);
  }

  @Override
  Call end(Worker worker, boolean failed) {
    boolean confirm = !failed && worker.poll() && draw(8) == 0;
    return Call.eval(
        SERVED,
        List.of(keys().ready(), keys().wake()),
        keys().id(),
        worker.token(),
        worker.poll() ? "poll" : "evidence",
        failed ? "failed" : "ok",
        Long.toString(worker.dirty()),
        Integer.toString(worker.evidence().size()),
        Long.toString(confirm ? CONFIRM_MILLIS : -1),
        Long.toString(failed ? BACKOFF_MILLIS : 0));
  }

  @Override
  void ended(Worker worker, boolean failed, @Nullable Object answer) {
    if (!(answer instanceof List<?> ending && ending.getFirst() instanceof Long due)) {
      throw new IllegalStateException("served.lua answered " + answer);
    }
    expectIn(due);
    if (due != -2 && !failed) {
      worker.evidence().forEach(text -> heard(Integer.parseInt(text)));
      served(worker);
    } else if (due == -2) {
      tell(worker.node() + " is refused: the lease is not its own any more");
    }
  }

  @Override
  Optional<Call> settle() {
    return switch (quiet) {
      case CLAIM -> Optional.of(attemptInQuiet());
      case LOOK -> Optional.of(Call.of("GET", keys().flag()));
      case REQUEST ->
          Optional.of(
              Call.eval(REQUEST, List.of(keys().ready(), keys().wake()), REASONS[3], keys().id()));
      case PASS -> {
        quiet = Quiet.CLAIM;
        yield Optional.of(elapse(Math.min(waiting, STRAYS_MILLIS) + 1));
      }
      case LAST -> Optional.of(Call.of("LLEN", keys().evidence()));
      case DONE -> Optional.empty();
    };
  }

  @Override
  void settled(@Nullable Object answer) {
    switch (quiet) {
      case LOOK ->
          quiet = "1".equals(answer) ? Quiet.REQUEST : waiting < 0 ? Quiet.LAST : Quiet.PASS;
      case REQUEST -> quiet = waiting < 0 ? Quiet.CLAIM : Quiet.PASS;
      case LAST -> {
        if (!Long.valueOf(0).equals(answer)) {
          tell("evidence is left over: " + answer);
        }
        quiet = Quiet.DONE;
      }
      case CLAIM, PASS, DONE -> {}
    }
  }

  @Override
  void calm() {
    quiet = Quiet.CLAIM;
  }

  private static long number(List<?> fields, int index) {
    return fields.get(index) instanceof Long number
        ? number
        : Long.parseLong(String.valueOf(fields.get(index)));
  }
}
