package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/**
 * An authentic webhook is answered 200, and 503 only while both stores are unreachable, which never
 * happens here. Users may get a conflict (409) or an unreachable store.
 */
final class RecordingReplyRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedReply reply : history.webhooks()) {
      if (reply.status() != 200 && reply.status() != 0) {
        findings.add(ViolationKind.REFUSED.found("a webhook: " + reply));
      }
    }
    for (ObservedReply reply : history.requests()) {
      boolean right =
          switch (reply.status()) {
            case 0, 200, 202, 409, 503 -> true;
            default -> false;
          };
      if (!right) {
        findings.add(ViolationKind.REFUSED.found("a request: " + reply));
      }
    }
    return findings;
  }
}
