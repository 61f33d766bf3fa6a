package io.convoke.engine.durable.runtime;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work of workflows and activities that this node does not know, because it runs another release.
 * It is given back for other nodes, without counting the attempt, after a pause that grows with
 * each time that the same work comes back.
 */
final class UnregisteredWork {
  private static final Logger log = LoggerFactory.getLogger(UnregisteredWork.class);
  private static final long WARN_EVERY_NS = Duration.ofMinutes(1).toNanos();
  private static final int NAMES_MAX = 1_000;
  private static final int WORK_MAX = 10_000;
  private static final long FIRST_MS = 100;
  private static final long MOST_MS = 2_000;
  private static final int DOUBLINGS_MAX = 10;

  /** More such work means longer pauses, so that giving it back costs at most 200 commits/s. */
  private static final long MS_PER_WORK = 5;

  private final Map<String, Long> warned = new ConcurrentHashMap<>();

  /** How often each work came here, the oldest first; guarded by itself. */
  private final LinkedHashMap<String, Integer> returns = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * The pause until the work may be claimed again.
   *
   * @param kind of work, for the log
   * @param name that is not registered here
   * @param key of the work, the same each time
   */
  Duration pause(String kind, String name, String key) {
    warn(kind, name);
    int times;
    int known;
    synchronized (returns) {
      times = returns.merge(key, 1, Integer::sum);
      if (returns.size() > WORK_MAX) {
        Map.Entry<String, Integer> _ = returns.pollFirstEntry();
      }
      known = returns.size();
    }
    long doubled = FIRST_MS << Math.min(times - 1, DOUBLINGS_MAX);
    long most = Math.min(doubled, MOST_MS + MS_PER_WORK * known);
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
  }

  private void warn(String kind, String name) {
    long now = System.nanoTime();
    Long last = warned.get(name);
    boolean due = last == null || now - last >= WARN_EVERY_NS;
    if (due
        && (last == null
            ? warned.putIfAbsent(name, now) == null
            : warned.replace(name, last, now))) {
      log.warn("{} {} is not registered on this node; it is left to other nodes", kind, name);
      if (warned.size() > NAMES_MAX) {
        boolean _ = warned.values().removeIf(at -> now - at >= WARN_EVERY_NS);
      }
    }
  }
}
