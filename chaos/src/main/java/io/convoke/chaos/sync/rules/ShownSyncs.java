package io.convoke.chaos.sync.rules;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What the API shows of all syncs when nothing changes any more. A batch shows what single reads
 * do; the list of problems has the failed and stalled ones, newest first, but the dismissed one.
 *
 * @param singles single reads, in the order in which the batch names them
 * @param items of the batch
 * @param missing in it
 * @param unknown what it names besides
 * @param problems the list, over all pages
 * @param dismissed the meeting whose problem was dismissed
 */
public record ShownSyncs(
    List<JsonNode> singles,
    List<JsonNode> items,
    List<String> missing,
    List<String> unknown,
    List<JsonNode> problems,
    String dismissed) {
  private static final Comparator<JsonNode> NEWEST_FIRST =
      Comparator.comparing((JsonNode it) -> it.path("updated_at").asString("")).reversed();

  /** All violations. */
  public List<RuleViolation> check() {
    List<RuleViolation> found = new ArrayList<>();
    if (!items.equals(singles) || !missing.equals(unknown)) {
      found.add(
          ViolationKind.ILLEGAL.found(
              "a batch shows %s, and %s as missing",
              items.stream().filter(it -> !singles.contains(it)).toList(), missing));
    }
    Map<String, JsonNode> expected = new HashMap<>();
    singles.stream()
        .filter(
            it ->
                it.path("status").asString("").equals("failure")
                    || it.path("stalled").asBoolean(false))
        .filter(it -> !id(it).equals(dismissed))
        .forEach(it -> expected.put(id(it), it));
    Map<String, JsonNode> listed = new HashMap<>();
    problems.forEach(it -> listed.put(id(it), it));
    if (!listed.equals(expected) || listed.size() != problems.size()) {
      found.add(
          ViolationKind.COUNT.found(
              "the list of problems has %s, not %s", listed.keySet(), expected.keySet()));
    }
    if (!problems.stream().sorted(NEWEST_FIRST).toList().equals(problems)) {
      found.add(ViolationKind.SEQUENCE.found("the list of problems is not newest first"));
    }
    return found;
  }

  private static String id(JsonNode sync) {
    return sync.path("meeting_id").asString("");
  }
}
