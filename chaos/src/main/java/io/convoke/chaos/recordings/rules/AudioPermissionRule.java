package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;

/** Only the owner of a recording gets its audio. */
final class AudioPermissionRule implements Rule<RecordingHistory> {
  /** Beginning of the name of a probe by another user. */
  public static final String FOREIGN = "foreign ";

  /** Beginning of the name of a probe by the owner. */
  public static final String OWN = "own ";

  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    return history.evidence().probes().stream()
        .filter(probe -> !right(probe))
        .map(probe -> ViolationKind.ILLEGAL.found(probe.toString()))
        .toList();
  }

  private static boolean right(ObservedReply probe) {
    return probe.what().startsWith(FOREIGN)
        ? probe.status() == 403 || probe.status() == 404 || probe.status() == 0
        : probe.status() == 200 || probe.status() == 206 || probe.status() == 0;
  }
}
