package io.convoke.bench.signals;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Totals of all interleavings of one protocol; used by several threads. */
final class InterleavingTotals {
  private static final int KEPT = 3;

  private final Map<SignalPoint, Long> struck = new EnumMap<>(SignalPoint.class);
  private final Map<SignalPoint, Long> lostAt = new EnumMap<>(SignalPoint.class);
  private final List<SignalInterleaving> examples = new ArrayList<>();
  private long interleavings;
  private long signals;
  private long lost;
  private long unseen;
  private long lostWithoutFault;
  private long twice;

  synchronized void add(List<SignalInterleaving> played) {
    for (SignalInterleaving one : played) {
      interleavings++;
      twice += one.twice();
      boolean wrong = one.twice() > 0;
      for (FlagSignal flagSignal : one.signals()) {
        signals++;
        struck.merge(flagSignal.point(), 1L, Long::sum);
        if (flagSignal.lost()) {
          wrong = true;
          lost++;
          unseen += flagSignal.unseen() ? 1 : 0;
          lostWithoutFault += one.faulty() ? 0 : 1;
          lostAt.merge(flagSignal.point(), 1L, Long::sum);
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

  /** Lost signals of interleavings without a fault: lost by the order alone. */
  synchronized long lostWithoutFault() {
    return lostWithoutFault;
  }

  /** How often two workers held one meeting. */
  synchronized long twice() {
    return twice;
  }

  synchronized long struck(SignalPoint signalPoint) {
    return struck.getOrDefault(signalPoint, 0L);
  }

  synchronized long lostAt(SignalPoint signalPoint) {
    return lostAt.getOrDefault(signalPoint, 0L);
  }

  /** Examples of failed interleavings. */
  synchronized List<SignalInterleaving> examples() {
    return List.copyOf(examples);
  }
}
