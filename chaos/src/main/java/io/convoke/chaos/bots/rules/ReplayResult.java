package io.convoke.chaos.bots.rules;

import java.util.List;
import java.util.Map;

/**
 * Result of replaying old calls after the end.
 *
 * @param replays the calls with their responses; status 0 without a response
 * @param before every row about bots before the replay, by table
 * @param after the same rows afterwards
 */
public record ReplayResult(
    List<BotCall> replays, Map<String, List<String>> before, Map<String, List<String>> after) {

  /** Nothing was replayed. */
  public static final ReplayResult NONE = new ReplayResult(List.of(), Map.of(), Map.of());
}
