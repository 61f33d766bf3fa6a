package io.convoke.bench.signals;

import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.LuaScript;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The reference protocol of docs/spec/presence.md: {@code GETDEL} of the flag, then the lock; when
 * denied, it skips the meeting; after the poll it releases the lock. All sources set the flag in
 * the same way. Its timer, which sets every flag again each 30 s, is left out, because it would
 * repair the counted losses.
 */
final class ReferenceInterleaving extends SignalInterleaving {
  private static final LuaScript RELEASE = LuaScript.resource(LeaseRenewer.class, "release.lua");

  private int tokens;
  private boolean clear;

  ReferenceInterleaving(long seed, String id) {
    super(seed, id);
  }

  @Override
  RedisCall opening() {
    return RedisCall.of("DEL", keys().flag());
  }

  @Override
  RedisCall signal(SignalKind signalKind, int number) {
    clear = false;
    // The flag carries no data.
    onSignalDelivered(number);
    return RedisCall.of("SET", keys().flag(), "1");
  }

  @Override
  RedisCall attempt(PollWorker pollWorker) {
    if (pollWorker.phase() == PollWorker.PollWorkerPhase.LOCKING) {
      pollWorker.take("seed-" + tokens++);
      return RedisCall.of("SET", keys().lock(), pollWorker.token(), "NX", "PX", LEASE);
    }
    return RedisCall.of("GETDEL", keys().flag());
  }

  @Override
  void attempted(PollWorker pollWorker, @Nullable Object answer) {
    if (pollWorker.phase() == PollWorker.PollWorkerPhase.LOCKING) {
      if ("OK".equals(answer)) {
        begin(pollWorker, true, 0, List.of());
      } else {
        report(pollWorker.node() + " is denied the lock and skips the meeting");
        pollWorker.idle();
      }
    } else if ("1".equals(answer)) {
      report(pollWorker.node() + " takes the flag");
      pollWorker.locking();
    } else {
      clear = true;
    }
  }

  @Override
  RedisCall end(PollWorker pollWorker, boolean failed) {
    return RedisCall.eval(RELEASE, List.of(keys().lock()), pollWorker.token());
  }

  @Override
  void ended(PollWorker pollWorker, boolean failed, @Nullable Object answer) {
    // Its writes are not fenced, so a poll whose lock has expired counts as well.
    if (!failed) {
      onServed(pollWorker);
    }
    clear = false;
  }

  @Override
  Optional<RedisCall> settle() {
    if (clear) {
      return Optional.empty();
    }
    return Optional.of(attemptInQuiet());
  }

  @Override
  void settled(@Nullable Object answer) {}

  @Override
  void calm() {
    clear = false;
  }
}
