package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Blob store and rows agree, in both directions. */
final class BlobStoreRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (RecordingEndState row : history.rows()) {
      Optional<RecordingEndState.RecordingBlob> stored =
          Optional.ofNullable(history.stored().get(row.id()));
      if (!row.blob().equals(stored)) {
        findings.add(
            (stored.isEmpty() ? ViolationKind.LOST : ViolationKind.ILLEGAL)
                .found(
                    "recording %s has audio %s in its row and %s in the store",
                    row.id(), row.blob(), stored));
      }
    }
    for (String id : history.stored().keySet()) {
      if (history.row(id).isEmpty()) {
        findings.add(
            ViolationKind.INVENTED.found("the store has audio of " + id + " without a row"));
      }
    }
    return findings;
  }
}
