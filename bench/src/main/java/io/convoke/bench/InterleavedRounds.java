package io.convoke.bench;

import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MeasuredSample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Turns taken as A B C, A B C, ...: noise on the machine affects all candidates alike. */
public final class InterleavedRounds {
  /** One measured turn. */
  public interface MeasuredTurn<C> {
    MeasuredSample measure(C candidate, int round) throws Exception;
  }

  private InterleavedRounds() {}

  public static <C> List<CandidateSeries> interleaved(
      int rounds, List<C> candidates, Function<C, String> name, MeasuredTurn<C> measuredTurn)
      throws Exception {
    Map<String, List<MeasuredSample>> samples = new LinkedHashMap<>();
    candidates.forEach(candidate -> samples.put(name.apply(candidate), new ArrayList<>()));
    for (int round = 1; round <= rounds; round++) {
      for (C candidate : candidates) {
        MeasuredSample measuredSample = measuredTurn.measure(candidate, round);
        samples.computeIfPresent(
            name.apply(candidate),
            (key, list) -> {
              list.add(measuredSample);
              return list;
            });
      }
    }
    return samples.entrySet().stream()
        .map(entry -> new CandidateSeries(entry.getKey(), List.copyOf(entry.getValue())))
        .toList();
  }
}
