package io.convoke.chaos.kernel;

import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Servers answer while no fault takes from them what the call needs: few calls outside of the
 * injected windows are refused, answered 500 or above, or not answered. No fault excuses an answer
 * 500: a server that lacks a store says 503.
 */
public final class AvailabilityRule implements Rule<AvailabilityRule.Calls> {
  /** A busy machine may miss a timeout. */
  private static final double SHARE_MAX = 0.02;

  private static final int FEW = 3;
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
      return List.copyOf(violations);
    }
    violations.add(
        ViolationKind.REFUSED.found(
            "%d of %d calls were refused although no fault was injected then: %s",
            refused.size(), judged.size(), refused.stream().limit(SHOWN_MAX).toList()));
    return List.copyOf(violations);
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
