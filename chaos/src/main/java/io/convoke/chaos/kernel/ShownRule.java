package io.convoke.chaos.kernel;

import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;

/** What servers show is what is known from elsewhere: from the request, or from the database. */
public final class ShownRule implements Rule<List<ShownRule.Shown>> {
  private static final int SHOWN_MAX = 12;

  /**
   * One comparison.
   *
   * @param what was asked, and of what server or caller
   * @param expected as text
   * @param shown the same of the answer
   */
  public record Shown(String what, String expected, String shown) {
    boolean differs() {
      return !expected.equals(shown);
    }
  }

  @Override
  public List<RuleViolation> check(List<Shown> looks) {
    return looks.stream()
        .filter(Shown::differs)
        .limit(SHOWN_MAX)
        .map(
            look ->
                ViolationKind.GAP.found(
                    "%s shows %s, right is %s", look.what(), look.shown(), look.expected()))
        .toList();
  }
}
