package io.convoke.chaos.kernel;

import java.util.List;
import java.util.function.Function;

/**
 * An invariant of the histories of one scenario, or of several. Pure.
 *
 * @param <H> everything that was observed in a run
 */
@FunctionalInterface
public interface Rule<H> {
  List<RuleViolation> check(H history);

  /** Its name in reports. */
  default String name() {
    return getClass().getSimpleName();
  }

  /** A rule with a name. */
  static <H> Rule<H> named(String name, Function<H, List<RuleViolation>> check) {
    return new Rule<>() {
      @Override
      public List<RuleViolation> check(H history) {
        return check.apply(history);
      }

      @Override
      public String name() {
        return name;
      }
    };
  }

  /** A rule that several scenarios share, over a part of this history. */
  static <H, P> Rule<H> shared(Rule<P> rule, Function<H, P> part) {
    return named(rule.name(), history -> rule.check(part.apply(history)));
  }

  /** All violations, each with the name of its rule; empty for a correct history. */
  static <H> List<RuleViolation> check(List<Rule<H>> rules, H history) {
    return rules.stream()
        .flatMap(
            rule ->
                rule.check(history).stream()
                    .map(found -> found.rule().isEmpty() ? found.by(rule.name()) : found))
        .toList();
  }
}
