package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The CRM has exactly one note, with the right text, for each completed recording, and requests are
 * idempotent: the same body always has the same key, and no other text was ever sent.
 */
final class CrmNoteRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expected : history.expectedRecordings()) {
      List<FinalNote> notes =
          history.notes().stream()
              .filter(finalNote -> finalNote.recordingId().equals(expected.id()))
              .toList();
      if (expected.end() == ExpectedRecording.ExpectedEnd.DONE && notes.isEmpty()) {
        findings.add(
            ViolationKind.LOST.found("the CRM has no note of " + RecordingEndRule.name(expected)));
      }
      if (expected.end() != ExpectedRecording.ExpectedEnd.DONE && !notes.isEmpty()) {
        findings.add(
            ViolationKind.INVENTED.found(
                "the CRM has a note of " + RecordingEndRule.name(expected)));
      }
      notes.forEach(finalNote -> of(expected, finalNote, history, findings));
    }
    for (FinalNote finalNote : history.notes()) {
      if (history.expectedRecordings().stream()
          .noneMatch(expected -> expected.id().equals(finalNote.recordingId()))) {
        findings.add(
            ViolationKind.INVENTED.found("the CRM has a note of " + finalNote.recordingId()));
      }
    }
    findings.addAll(keys(history.posts()));
    history
        .complaints()
        .forEach(text -> findings.add(ViolationKind.REFUSED.found("the CRM reports: " + text)));
    return findings;
  }

  private static void of(
      ExpectedRecording expected,
      FinalNote finalNote,
      RecordingHistory history,
      List<RuleViolation> findings) {
    if (!finalNote.lines().equals(expected.lines())) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "the CRM's transcript of %s differs from the speech: %s",
              RecordingEndRule.name(expected), finalNote.lines()));
    }
    if (finalNote.versions() != 1) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "the CRM received %d versions of %s",
              finalNote.versions(), RecordingEndRule.name(expected)));
    }
    boolean there =
        history
            .row(expected.id())
            .flatMap(RecordingEndState::meeting)
            .filter(it -> it == finalNote.meeting())
            .isPresent();
    if (!there) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "the CRM has %s under meeting %d",
              RecordingEndRule.name(expected), finalNote.meeting()));
    }
  }

  private static List<RuleViolation> keys(List<ReceivedNote> posts) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, String> keyOf = new HashMap<>();
    for (ReceivedNote note : posts) {
      String known = keyOf.putIfAbsent(note.recordingId() + note.body(), note.key());
      if (known != null && !known.equals(note.key())) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "the note of recording %s has the keys %s and %s",
                note.recordingId(), known, note.key()));
      }
    }
    return findings;
  }
}
