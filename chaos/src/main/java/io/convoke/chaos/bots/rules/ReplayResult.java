package io.convoke.chaos.bots.rules;

import java.util.List;
import java.util.Map;

/**
 * What became of old calls that came once more when everything was over.
 *
 * @param ghosts the calls with their answers; status 0 when nobody answered
 * @param before every row that tells of bots, by table, before they came
 * @param after the same rows afterwards
 */
public record ReplayResult(
    List<BotCall> ghosts, Map<String, List<String>> before, Map<String, List<String>> after) {

  /** Nothing came. */
  public static final ReplayResult NONE = new ReplayResult(List.of(), Map.of(), Map.of());
}
