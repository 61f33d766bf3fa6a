package io.convoke.chaos.kernel;

import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Servers answer while no fault takes from them what the call needs: few calls outside of the
 * injected windows are refused, answered 500 or above, or not answered, and no server ends with a
 * kind of call that it refuses each time. No fault excuses an answer 500: a server that lacks a
 * store says 503.
 */
public final class AvailabilityRule implements Rule<AvailabilityRule.Calls> {
  /** A busy machine may miss a timeout. */
  private static final double SHARE_MAX = 0.02;

  private static final int FEW = 3;

  /** So many calls of a kind in a row, over this time at least, are no longer chance. */
  private static final int LASTING = 5;

  private static final Duration LASTING_FOR = Duration.ofSeconds(1);
  private static final Pattern NUMBERED = Pattern.compile("[^ /]*\\d[^ /]*");
  private static final int SHOWN_MAX = 3;

  /**
   * The calls of a run and what may excuse their refusal.
   *
   * @param needed stores without which these calls cannot be served
   * @param tooMany whether 429 is one of the scenario's expected answers
   */
  public record Calls(
      List<TimedReply> replies, List<FaultWindow> windows, Set<String> needed, boolean tooMany) {

    /** The fault that excuses this call. */
    Optional<FaultWindow> excuse(TimedReply reply) {
      return windows.stream()
          .filter(
              window ->
                  needed.contains(window.target())
                      || window.target().equals(reply.target())
                      || (reply.target().isEmpty() && window.target().startsWith("server-")))
          .filter(window -> window.touches(reply.sent(), reply.answered()))
          .findFirst();
    }

    /** The calls that nothing excuses. */
    public List<TimedReply> judged() {
      return replies.stream().filter(reply -> excuse(reply).isEmpty()).toList();
    }

    private boolean refused(TimedReply reply) {
      return reply.refused() && !(tooMany && reply.status() == 429);
    }
  }

  @Override
  public List<RuleViolation> check(Calls calls) {
    List<RuleViolation> violations = new ArrayList<>(unhandled(calls.replies()));
    List<TimedReply> judged = calls.judged();
    List<TimedReply> refused = judged.stream().filter(calls::refused).toList();
    if (refused.size() <= Math.max(FEW, SHARE_MAX * judged.size())) {
      violations.addAll(lasting(calls, judged));
      return List.copyOf(violations);
    }
    violations.add(
        ViolationKind.REFUSED.found(
            "%d of %d calls were refused although no fault was injected then: %s",
            refused.size(), judged.size(), refused.stream().limit(SHOWN_MAX).toList()));
    return List.copyOf(violations);
  }

  /** The last calls of a kind that a server was asked, if all of them were refused. */
  private static List<RuleViolation> lasting(Calls calls, List<TimedReply> judged) {
    Map<String, List<TimedReply>> alike =
        judged.stream()
            .filter(reply -> !reply.target().isEmpty())
            .sorted(Comparator.comparing(TimedReply::sent))
            .collect(
                Collectors.groupingBy(
                    reply -> reply.target() + ": " + NUMBERED.matcher(reply.what()).replaceAll("*"),
                    TreeMap::new,
                    Collectors.toList()));
    List<RuleViolation> violations = new ArrayList<>();
    alike.forEach(
        (kind, replies) -> {
          List<TimedReply> last =
              replies.subList(Math.max(0, replies.size() - LASTING), replies.size());
          Duration span = Duration.between(last.getFirst().sent(), last.getLast().answered());
          if (last.size() == LASTING
              && span.compareTo(LASTING_FOR) >= 0
              && last.stream().allMatch(calls::refused)) {
            violations.add(
                ViolationKind.REFUSED.found("%s is refused until the end: %s", kind, last));
          }
        });
    return violations;
  }

  private static List<RuleViolation> unhandled(List<TimedReply> replies) {
    List<TimedReply> unhandled = replies.stream().filter(reply -> reply.status() == 500).toList();
    return unhandled.isEmpty()
        ? List.of()
        : List.of(
            ViolationKind.REFUSED.found(
                "%d calls were answered 500: %s",
                unhandled.size(), unhandled.stream().limit(SHOWN_MAX).toList()));
  }
}
