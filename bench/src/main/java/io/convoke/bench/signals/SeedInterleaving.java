package io.convoke.bench.signals;

import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Script;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Seed 000's protocol to the letter: {@code GETDEL} of the flag, then the lock; denied, the meeting
 * is skipped; after the poll the lock is released. All sources set the flag in the same way. Its
 * timer, which sets every flag again each 30 s, is left out: it repairs what is counted here.
 */
final class SeedInterleaving extends Interleaving {
  private static final Script RELEASE = Script.resource(LeaseKeeper.class, "release.lua");

  private int tokens;
  private boolean clear;

  SeedInterleaving(long seed, String id) {
    super(seed, id);
  }

  @Override
  Call opening() {
    return Call.of("DEL", keys().flag());
  }

  @Override
  Call signal(Kind kind, int number) {
    clear = false;
    // The flag is all that it tells.
    heard(number);
    return Call.of("SET", keys().flag(), "1");
  }

  @Override
  Call attempt(Worker worker) {
    if (worker.phase() == Worker.Phase.LOCKING) {
      worker.take("seed-" + tokens++);
      return Call.of("SET", keys().lock(), worker.token(), "NX", "PX", LEASE);
    }
    return Call.of("GETDEL", keys().flag());
  }

  @Override
  void attempted(Worker worker, @Nullable Object answer) {
    if (worker.phase() == Worker.Phase.LOCKING) {
      if ("OK".equals(answer)) {
        begin(worker, true, 0, List.of());
      } else {
        tell(worker.node() + " is denied the lock and skips the meeting");
        worker.idle();
      }
    } else if ("1".equals(answer)) {
      tell(worker.node() + " takes the flag");
      worker.locking();
    } else {
      clear = true;
    }
  }

  @Override
  Call end(Worker worker, boolean failed) {
    return Call.eval(RELEASE, List.of(keys().lock()), worker.token());
  }

  @Override
  void ended(Worker worker, boolean failed, @Nullable Object answer) {
    // Nothing fences its writes, so a poll whose lock is long gone counts as well.
    if (!failed) {
      served(worker);
    }
    clear = false;
  }

  @Override
  Optional<Call> settle() {
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
