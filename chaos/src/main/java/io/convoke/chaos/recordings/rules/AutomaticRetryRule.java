package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What can be overcome by trying again is tried again without a user: such a recording never fails.
 */
final class AutomaticRetryRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    Map<String, ExpectedRecording> expected = new HashMap<>();
    history.expectedRecordings().forEach(one -> expected.put(one.id(), one));
    return history.transitions().stream()
        .filter(transition -> transition.to().equals("failed"))
        .filter(
            transition ->
                Optional.ofNullable(expected.get(transition.id()))
                    .filter(one -> !one.work().mayFail())
                    .isPresent())
        .map(
            transition ->
                ViolationKind.ILLEGAL.found(transition + ", though trying again would have helped"))
        .toList();
  }
}
