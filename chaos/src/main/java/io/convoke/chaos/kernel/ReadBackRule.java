package io.convoke.chaos.kernel;

import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What servers answer once all is quiet is what is stored or known from elsewhere: each field of
 * what is read alone, and each list complete and in its order, however small its pages.
 */
public final class ReadBackRule implements Rule<List<ReadBackRule.ReadBack>> {
  private static final int SHOWN_MAX = 5;

  /**
   * An answer, as the parts that it should show and those that it showed, both in order.
   *
   * @param what was read, for messages
   */
  public record ReadBack(String what, List<String> expected, List<String> shown) {}

  @Override
  public List<RuleViolation> check(List<ReadBack> reads) {
    return reads.stream()
        .filter(read -> !read.expected().equals(read.shown()))
        .limit(SHOWN_MAX)
        .map(ReadBackRule::difference)
        .toList();
  }

  private static RuleViolation difference(ReadBack read) {
    List<String> missing = without(read.expected(), read.shown());
    List<String> extra = without(read.shown(), read.expected());
    if (missing.isEmpty() && extra.isEmpty()) {
      int at =
          IntStream.range(0, read.expected().size())
              .filter(i -> !read.expected().get(i).equals(read.shown().get(i)))
              .findFirst()
              .orElse(0);
      return ViolationKind.SEQUENCE.found(
          "%s shows %s at place %d, where %s belongs",
          read.what(), read.shown().get(at), at, read.expected().get(at));
    }
    ViolationKind kind =
        extra.isEmpty()
            ? ViolationKind.LOST
            : read.expected().containsAll(extra) ? ViolationKind.DUPLICATED : ViolationKind.ILLEGAL;
    return kind.found(
        "%s shows %d parts of %d: missing are %s, too many %s",
        read.what(), read.shown().size(), read.expected().size(), missing, extra);
  }

  /** The first of those that the others lack, each as often as it stands there. */
  private static List<String> without(List<String> all, List<String> others) {
    List<String> left = new ArrayList<>(all);
    others.forEach(left::remove);
    return left.isEmpty() ? Collections.emptyList() : left.subList(0, Math.min(3, left.size()));
  }
}
