package io.convoke.chaos.sync.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Batches and lists of problems that differ from single reads. */
final class ShownSyncsTest {
  private static final JsonNode GOOD = sync("a", "success", false, 1);
  private static final JsonNode FAILED = sync("b", "failure", false, 2);
  private static final JsonNode STALLED = sync("c", "in_progress", true, 3);
  private static final JsonNode DISMISSED = sync("d", "failure", false, 4);
  private static final List<JsonNode> ALL = List.of(GOOD, FAILED, STALLED, DISMISSED);

  @Test
  void theListHasTheProblemsNewestFirst() {
    assertThat(check(ALL, List.of("x"), STALLED, FAILED)).isEmpty();
    assertThat(check(ALL, List.of("x"), FAILED, STALLED)).containsExactly(ViolationKind.SEQUENCE);
    assertThat(check(ALL, List.of("x"), STALLED)).containsExactly(ViolationKind.COUNT);
    assertThat(check(ALL, List.of("x"), DISMISSED, STALLED, FAILED))
        .containsExactly(ViolationKind.COUNT);
  }

  @Test
  void aBatchThatDiffersFromSingleReadsIsFound() {
    assertThat(check(List.of(GOOD, FAILED, STALLED), List.of("x"), STALLED, FAILED))
        .containsExactly(ViolationKind.ILLEGAL);
    assertThat(check(ALL, List.of(), STALLED, FAILED)).containsExactly(ViolationKind.ILLEGAL);
  }

  @Test
  void theItemsOfABatchThatDifferAreNamed() {
    JsonNode other = sync("d", "success", false, 4);
    List<JsonNode> items = List.of(GOOD, FAILED, STALLED, other);
    assertThat(found(items, List.of("x"), STALLED, FAILED))
        .singleElement()
        .extracting(RuleViolation::text)
        .isEqualTo("a batch shows [%s], and [x] as missing".formatted(other));
  }

  private static List<ViolationKind> check(
      List<JsonNode> items, List<String> missing, JsonNode... problems) {
    return found(items, missing, problems).stream().map(RuleViolation::kind).toList();
  }

  private static List<RuleViolation> found(
      List<JsonNode> items, List<String> missing, JsonNode... problems) {
    return new ShownSyncs(ALL, items, missing, List.of("x"), List.of(problems), "d").check();
  }

  private static JsonNode sync(String id, String status, boolean stalled, int second) {
    return JsonMapper.shared()
        .createObjectNode()
        .put("meeting_id", id)
        .put("status", status)
        .put("stalled", stalled)
        .put("updated_at", "1970-01-01T00:00:%02d.000Z".formatted(second));
  }
}
