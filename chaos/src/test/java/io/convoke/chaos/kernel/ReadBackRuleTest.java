package io.convoke.chaos.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each way in which an answer may differ from what it should show. */
final class ReadBackRuleTest {
  private static final List<String> WANTED = List.of("a", "b", "c");

  @Test
  void anAnswerWithAllOfItInOrderIsRight() {
    assertThat(kinds("a", "b", "c")).isEmpty();
  }

  @Test
  void missingDoubledForeignAndMisplacedPartsAreFound() {
    assertThat(kinds("a", "c")).containsExactly(ViolationKind.LOST);
    assertThat(kinds("a", "b", "b", "c")).containsExactly(ViolationKind.DUPLICATED);
    assertThat(kinds("a", "x", "c")).containsExactly(ViolationKind.ILLEGAL);
    assertThat(kinds("b", "a", "c")).containsExactly(ViolationKind.SEQUENCE);
  }

  @Test
  void theFirstMisplacedPartIsNamed() {
    assertThat(check("a", "c", "b"))
        .singleElement()
        .extracting(RuleViolation::text)
        .isEqualTo("/things shows c at place 1, where b belongs");
  }

  private static List<ViolationKind> kinds(String... shown) {
    return check(shown).stream().map(RuleViolation::kind).toList();
  }

  private static List<RuleViolation> check(String... shown) {
    return new ReadBackRule().check(List.of(new ReadBack("/things", WANTED, List.of(shown))));
  }
}
