package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScoredValueScanCursor;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back to Redis what it forgot. A place without its generation is empty, and one on another
 * server than before may lack what was written last: then all open tasks of the ledger are taken in
 * that are not there. What is there stays, and the ledger hears how it stands; but on another
 * server it may be of some time ago, so it gets numbers that were never given out, and what the
 * ledger knows to have ended ends. Until that is done no pod claims there.
 */
final class Rebuild {
  private static final Logger log = LoggerFactory.getLogger(Rebuild.class);
  private static final Duration LOCK = Duration.ofSeconds(10);
  private static final int PAGE = 500;

  private final Redis redis;
  private final Functions functions;
  private final Place place;
  private final Ledger ledger;
  private final Signal<Integer> rebuilt;

  /** {@code rebuilt} hears how many tasks each rebuild looked at. */
  Rebuild(Redis redis, Functions functions, Ledger ledger, Signal<Integer> rebuilt) {
    this.redis = redis;
    this.functions = functions;
    this.place = functions.place();
    this.ledger = ledger;
    this.rebuilt = rebuilt;
  }

  /** Rebuilds if the place is not whole; one server does it. */
  void ifForgotten() {
    String run = redis.runId(place.prefix());
    @Nullable String known = redis.call(place.server(), commands -> commands.get(place.server()));
    @Nullable String generation =
        redis.call(place.generation(), commands -> commands.get(place.generation()));
    if (generation != null && run.equals(known)) {
      return;
    }
    String token = UUID.randomUUID().toString();
    String got =
        redis.call(lock(), commands -> commands.set(lock(), token, SetArgs.Builder.nx().px(LOCK)));
    if (!"OK".equals(got)) {
      return;
    }
    // Emptied it knows nothing that could be wrong; on another server it may be of some time ago.
    boolean wentBack = generation != null;
    if (wentBack) {
      settleWhatEnded();
    }
    int count = takeInAll(wentBack);
    // Noted only now, so that a server that dies before is no loss, and only if the place was not
    // emptied since: the lock would be gone.
    if (functions.whole(token, token.substring(0, 8), run).on(redis) == 1) {
      log.info("{} open tasks were compared with a Redis that may have forgotten some", count);
      rebuilt.emit(count);
    }
  }

  private int takeInAll(boolean wentBack) {
    int count = 0;
    String last = "";
    while (true) {
      List<OpenTask> page = ledger.open(last, PAGE);
      if (page.isEmpty()) {
        return count;
      }
      List<OpenTask> own = page.stream().filter(this::isHere).toList();
      if (!own.isEmpty()) {
        int _ = functions.adopt(own, wentBack).on(redis);
      }
      keepTheLock();
      count += own.size();
      last = page.getLast().id();
    }
  }

  /** What the ledger knows to have ended is not begun again. */
  private void settleWhatEnded() {
    for (String lane : redis.<Set<String>>call(lanes(), commands -> commands.smembers(lanes()))) {
      settle(place.queue(lane));
    }
    for (String pod :
        redis.<List<String>>call(pods(), commands -> commands.zrange(pods(), 0, -1))) {
      settle(place.own("leases:" + pod));
    }
  }

  private void settle(String tasks) {
    ScanCursor cursor = ScanCursor.INITIAL;
    while (!cursor.isFinished()) {
      ScanCursor from = cursor;
      ScoredValueScanCursor<String> page =
          redis.call(tasks, commands -> commands.zscan(tasks, from, ScanArgs.Builder.limit(PAGE)));
      Map<String, TaskState> ended =
          ledger.ended(page.getValues().stream().map(ScoredValue::getValue).toList());
      if (!ended.isEmpty()) {
        int _ = functions.settle(ended).on(redis);
      }
      keepTheLock();
      cursor = page;
    }
  }

  private void keepTheLock() {
    boolean _ = redis.call(lock(), commands -> commands.pexpire(lock(), LOCK));
  }

  private String lanes() {
    return place.own("lanes");
  }

  private String pods() {
    return place.own("pods");
  }

  private boolean isHere(OpenTask task) {
    return place.isHomeOf(Places.regionOf(task.region()));
  }

  private String lock() {
    return place.own("rebuild");
  }
}
