package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/** Nothing of a deleted recording is left: no row to read, no audio, no words. */
public final class DeletedRecordingRule
    implements Rule<List<DeletedRecordingRule.DeletedRecording>> {
  /** The answer to a deletion. */
  public static final int NO_CONTENT = 204;

  private static final int NOT_FOUND = 404;

  /**
   * A recording that its owner deleted.
   *
   * @param answered the answer to the deletion
   * @param read the answer to a read of it afterwards
   * @param audio whether its audio is still stored
   * @param lines its lines that a transcript or an event still has
   * @param noted whether the CRM was told of it although it was deleted before it was over
   */
  public record DeletedRecording(
      String id, int answered, int read, boolean audio, List<String> lines, boolean noted) {}

  @Override
  public List<RuleViolation> check(List<DeletedRecording> deletions) {
    List<RuleViolation> found = new ArrayList<>();
    for (DeletedRecording deletion : deletions) {
      if (deletion.answered() != NO_CONTENT || deletion.read() != NOT_FOUND) {
        found.add(
            ViolationKind.REFUSED.found(
                "the deletion of recording %s was answered %d, a read of it %d",
                deletion.id(), deletion.answered(), deletion.read()));
      }
      if (deletion.audio()) {
        found.add(ViolationKind.OPEN.found("the audio of deleted " + deletion.id() + " is stored"));
      }
      if (deletion.noted()) {
        found.add(ViolationKind.INVENTED.found("a note about deleted " + deletion.id()));
      }
      deletion
          .lines()
          .forEach(
              line ->
                  found.add(
                      ViolationKind.OPEN.found(
                          "deleted recording " + deletion.id() + " is still read: " + line)));
    }
    return found;
  }
}
