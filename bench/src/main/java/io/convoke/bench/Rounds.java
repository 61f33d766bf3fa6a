package io.convoke.bench;

import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Turns taken as A B C, A B C, ...: what disturbs the machine for a while disturbs all. */
public final class Rounds {
  /** One measured turn. */
  public interface Turn<C> {
    Sample measure(C candidate, int round) throws Exception;
  }

  private Rounds() {}

  public static <C> List<Series> interleaved(
      int rounds, List<C> candidates, Function<C, String> name, Turn<C> turn) throws Exception {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    candidates.forEach(candidate -> samples.put(name.apply(candidate), new ArrayList<>()));
    for (int round = 1; round <= rounds; round++) {
      for (C candidate : candidates) {
        Sample sample = turn.measure(candidate, round);
        samples.computeIfPresent(
            name.apply(candidate),
            (key, list) -> {
              list.add(sample);
              return list;
            });
      }
    }
    return samples.entrySet().stream()
        .map(entry -> new Series(entry.getKey(), List.copyOf(entry.getValue())))
        .toList();
  }
}
