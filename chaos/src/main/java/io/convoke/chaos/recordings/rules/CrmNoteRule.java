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
    for (ExpectedRecording expectedRecording : history.expectedRecordings()) {
      List<FinalNote> notes =
          history.notes().stream()
              .filter(finalNote -> finalNote.recordingId().equals(expectedRecording.id()))
              .toList();
      if (expectedRecording.end() == ExpectedRecording.ExpectedEnd.DONE && notes.isEmpty()) {
        findings.add(
            ViolationKind.LOST.found(
                "the CRM has no note of " + RecordingEndRule.name(expectedRecording)));
      }
      if (expectedRecording.end() != ExpectedRecording.ExpectedEnd.DONE && !notes.isEmpty()) {
        findings.add(
            ViolationKind.INVENTED.found(
                "the CRM has a note of " + RecordingEndRule.name(expectedRecording)));
      }
      notes.forEach(finalNote -> of(expectedRecording, finalNote, history, findings));
    }
    for (FinalNote finalNote : history.notes()) {
      if (history.expectedRecordings().stream()
          .noneMatch(expectedRecording -> expectedRecording.id().equals(finalNote.recordingId()))) {
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
      ExpectedRecording expectedRecording,
      FinalNote finalNote,
      RecordingHistory history,
      List<RuleViolation> findings) {
    if (!finalNote.lines().equals(expectedRecording.lines())) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "the CRM's transcript of %s differs from the speech: %s",
              RecordingEndRule.name(expectedRecording), finalNote.lines()));
    }
    if (finalNote.versions() != 1) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "the CRM received %d versions of %s",
              finalNote.versions(), RecordingEndRule.name(expectedRecording)));
    }
    boolean there =
        history
            .row(expectedRecording.id())
            .flatMap(RecordingEndState::meeting)
            .filter(it -> it == finalNote.meeting())
            .isPresent();
    if (!there) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "the CRM has %s under meeting %d",
              RecordingEndRule.name(expectedRecording), finalNote.meeting()));
    }
  }

  private static List<RuleViolation> keys(List<ReceivedNote> posts) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, String> keyOf = new HashMap<>();
    for (ReceivedNote receivedNote : posts) {
      String known =
          keyOf.putIfAbsent(receivedNote.recordingId() + receivedNote.body(), receivedNote.key());
      if (known != null && !known.equals(receivedNote.key())) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "the note of recording %s has the keys %s and %s",
                receivedNote.recordingId(), known, receivedNote.key()));
      }
    }
    return findings;
  }
}
