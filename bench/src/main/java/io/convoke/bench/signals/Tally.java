package io.convoke.bench.signals;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What came of all interleavings of one protocol; used by several threads. */
final class Tally {
  private static final int KEPT = 3;

  private final Map<Point, Long> struck = new EnumMap<>(Point.class);
  private final Map<Point, Long> lostAt = new EnumMap<>(Point.class);
  private final List<Interleaving> examples = new ArrayList<>();
  private long interleavings;
  private long signals;
  private long lost;
  private long unseen;
  private long lostWithoutFault;
  private long twice;

  synchronized void add(List<Interleaving> played) {
    for (Interleaving one : played) {
      interleavings++;
      twice += one.twice();
      boolean wrong = one.twice() > 0;
      for (Signal signal : one.signals()) {
        signals++;
        struck.merge(signal.point(), 1L, Long::sum);
        if (signal.lost()) {
          wrong = true;
          lost++;
          unseen += signal.unseen() ? 1 : 0;
          lostWithoutFault += one.faulty() ? 0 : 1;
          lostAt.merge(signal.point(), 1L, Long::sum);
        }
      }
      if (wrong && examples.size() < KEPT) {
        examples.add(one);
      }
    }
  }

  synchronized long interleavings() {
    return interleavings;
  }

  synchronized long signals() {
    return signals;
  }

  synchronized long lost() {
    return lost;
  }

  /** Of the lost ones, those without any later poll of the platform. */
  synchronized long unseen() {
    return unseen;
  }

  /** Of the lost ones, those of stories in which nothing broke: lost by the order alone. */
  synchronized long lostWithoutFault() {
    return lostWithoutFault;
  }

  /** How often two workers held one meeting. */
  synchronized long twice() {
    return twice;
  }

  synchronized long struck(Point point) {
    return struck.getOrDefault(point, 0L);
  }

  synchronized long lostAt(Point point) {
    return lostAt.getOrDefault(point, 0L);
  }

  /** A few stories that went wrong. */
  synchronized List<Interleaving> examples() {
    return List.copyOf(examples);
  }
}
