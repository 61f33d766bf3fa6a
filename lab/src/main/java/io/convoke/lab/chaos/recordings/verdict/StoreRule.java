package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The blob store and the rows agree, both ways. */
final class StoreRule implements RecordingRule {
  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Row row : history.rows()) {
      Optional<Row.Blob> stored = Optional.ofNullable(history.stored().get(row.id()));
      if (!row.blob().equals(stored)) {
        findings.add(
            new Finding(
                stored.isEmpty() ? Kind.LOST : Kind.ILLEGAL,
                "the audio of recording %s is %s in its row and %s in the store"
                    .formatted(row.id(), row.blob(), stored)));
      }
    }
    for (String id : history.stored().keySet()) {
      if (history.row(id).isEmpty()) {
        findings.add(new Finding(Kind.INVENTED, "the store has audio of " + id + ", no row has"));
      }
    }
    return findings;
  }
}
