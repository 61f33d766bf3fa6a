package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.recordings.rules.RecordingHistory.FinalNote;
import io.convoke.chaos.recordings.rules.RecordingHistory.MeetingPeople;
import io.convoke.chaos.recordings.rules.RecordingHistory.ReceivedNote;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingEndState;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingTransition;
import io.convoke.chaos.recordings.rules.RecordingHistory.SyncRow;
import io.convoke.chaos.recordings.rules.RecordingHistory.SyncTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What recordings end as: row, transcript, note, sync status and audio. */
final class RecordingEndRules {

  private RecordingEndRules() {}

  /**
   * Each recording of the platform has a row in its expected terminal state, and there are no other
   * rows.
   */
  static List<RuleViolation> recordingEnd(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expected : history.expectedRecordings()) {
      List<RecordingEndState> rows =
          history.rows().stream().filter(row -> row.id().equals(expected.id())).toList();
      if (rows.isEmpty()) {
        findings.add(ViolationKind.LOST.found(expected.title() + " has no row"));
      }
      rows.forEach(row -> ofRecordingEnd(expected, row, findings));
    }
    for (RecordingEndState row : history.rows()) {
      if (history.expectedRecordings().stream()
          .noneMatch(expected -> expected.id().equals(row.id()))) {
        findings.add(
            ViolationKind.INVENTED.found("recording " + row.id() + " is not on the platform"));
      }
    }
    history.left().forEach(left -> findings.add(ViolationKind.OPEN.found(left)));
    return findings;
  }

  private static void ofRecordingEnd(
      ExpectedRecording expected, RecordingEndState row, List<RuleViolation> findings) {
    boolean open =
        switch (row.status()) {
          case "in_progress", "ready", "processing", "unmatched" -> true;
          default -> false;
        };
    if (open) {
      findings.add(ViolationKind.OPEN.found(expected.title() + " is " + row.status()));
    } else if (!row.status().equals(expected.end().status())) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s is %s, expected %s: %s",
              expected.title(), row.status(), expected.end().status(), row.steps()));
    }
    boolean placed =
        row.meeting().map(expected.meetings()::contains).orElse(!expected.end().spoken());
    if (!placed) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s belongs to meeting %s, expected one of %s",
              expected.title(), row.meeting(), expected.meetings()));
    }
  }

  /** Each transcript has exactly the spoken lines, each once and in order. */
  static List<RuleViolation> transcript(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expected : history.expectedRecordings()) {
      List<String> wanted = expected.end().spoken() ? expected.lines() : List.of();
      List<String> transcribed =
          history.row(expected.id()).map(RecordingEndState::lines).orElse(List.of());
      if (!transcribed.equals(wanted)) {
        findings.add(
            kind(wanted, transcribed)
                .found(
                    "%s has %d lines, spoken were %d: %s",
                    expected.title(), transcribed.size(), wanted.size(), transcribed));
      }
    }
    return findings;
  }

  private static ViolationKind kind(List<String> wanted, List<String> transcribed) {
    if (!transcribed.containsAll(wanted)) {
      return ViolationKind.LOST;
    }
    return wanted.containsAll(transcribed) ? ViolationKind.DUPLICATED : ViolationKind.INVENTED;
  }

  /**
   * The CRM has exactly one note, with the right text and people, for each completed recording, and
   * one for each meeting whose recordings were deleted; and requests are idempotent: the same body
   * has the same key in all attempts of a run, and no other text was ever sent, unless its user
   * corrected it.
   */
  static List<RuleViolation> crmNote(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ExpectedRecording expected : history.expectedRecordings()) {
      List<FinalNote> notes =
          history.notes().stream()
              .filter(finalNote -> finalNote.recordingId().equals(expected.id()))
              .toList();
      if (expected.end() == ExpectedRecording.ExpectedEnd.DONE && notes.isEmpty()) {
        findings.add(ViolationKind.LOST.found("the CRM has no note of " + expected.title()));
      }
      if (expected.end() != ExpectedRecording.ExpectedEnd.DONE && !notes.isEmpty()) {
        findings.add(ViolationKind.INVENTED.found("the CRM has a note of " + expected.title()));
      }
      notes.forEach(finalNote -> ofCrmNote(expected, finalNote, history, findings));
    }
    Set<String> meetings = new TreeSet<>();
    history.unrecorded().forEach(meeting -> meetings.add("meeting:" + meeting));
    for (FinalNote finalNote : history.notes()) {
      if (!meetings.remove(finalNote.recordingId())
          && history.expectedRecordings().stream()
              .noneMatch(expected -> expected.id().equals(finalNote.recordingId()))) {
        findings.add(
            ViolationKind.INVENTED.found("the CRM has a note of " + finalNote.recordingId()));
      }
    }
    meetings.forEach(
        meeting ->
            findings.add(
                ViolationKind.LOST.found(
                    "the CRM has no note of %s, whose recordings were deleted", meeting)));
    findings.addAll(keys(history));
    history
        .complaints()
        .forEach(text -> findings.add(ViolationKind.REFUSED.found("the CRM reports: " + text)));
    return findings;
  }

  private static void ofCrmNote(
      ExpectedRecording expected,
      FinalNote finalNote,
      RecordingHistory history,
      List<RuleViolation> findings) {
    if (!finalNote.lines().equals(expected.shown())) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "the CRM's transcript of %s differs from the speech: %s",
              expected.title(), finalNote.lines()));
    }
    if (finalNote.versions() > (expected.corrects() ? 2 : 1)) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "the CRM received %d versions of %s", finalNote.versions(), expected.title()));
    }
    MeetingPeople wanted =
        history.evidence().people().getOrDefault(finalNote.meeting(), finalNote.people());
    if (!finalNote.people().equals(wanted)) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "the CRM has %s with %s, there were %s",
              expected.title(), finalNote.people(), wanted));
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
              "the CRM has %s under meeting %d", expected.title(), finalNote.meeting()));
    }
  }

  /** A body has no more keys than its recording had runs. */
  private static List<RuleViolation> keys(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<List<String>, Set<String>> keys =
        history.posts().stream()
            .collect(
                Collectors.groupingBy(
                    note -> List.of(note.recordingId(), note.body()),
                    Collectors.mapping(
                        ReceivedNote::key, Collectors.toCollection(TreeSet<String>::new))));
    keys.forEach(
        (note, used) -> {
          int runs =
              history.transitions().stream()
                  .filter(transition -> transition.id().equals(note.getFirst()))
                  .mapToInt(RecordingTransition::run)
                  .max()
                  .orElse(1);
          if (used.size() > runs) {
            findings.add(
                ViolationKind.DUPLICATED.found(
                    "the note of recording %s has the keys %s in %d runs",
                    note.getFirst(), String.join(" and ", used), runs));
          }
        });
    return findings;
  }

  /**
   * A meeting's sync matches its recordings: failed if one was refused by the transcriber or the
   * CRM, otherwise succeeded if one reached the CRM or all were deleted. Within an attempt it never
   * goes back.
   */
  static List<RuleViolation> syncStatus(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<Long> meetings =
        history.rows().stream()
            .flatMap(recordingEndState -> recordingEndState.meeting().stream())
            .collect(Collectors.toSet());
    history.syncs().forEach(sync -> meetings.add(sync.meeting()));
    for (long meeting : meetings) {
      String wanted = wanted(history, meeting);
      SyncRow row =
          history.syncs().stream()
              .filter(sync -> sync.meeting() == meeting)
              .findFirst()
              .orElse(new SyncRow(meeting, "not_started", 0, 0));
      if (!row.status().equals(wanted)) {
        findings.add(
            (row.status().equals("in_progress") ? ViolationKind.OPEN : ViolationKind.ILLEGAL)
                .found("the sync of meeting %d is %s, expected %s", meeting, row.status(), wanted));
      }
      findings.addAll(story(history, row));
    }
    return findings;
  }

  private static String wanted(RecordingHistory history, long meeting) {
    Set<ExpectedRecording.ExpectedEnd> ends =
        history.expectedRecordings().stream()
            .filter(
                expected ->
                    history
                        .row(expected.id())
                        .flatMap(RecordingEndState::meeting)
                        .filter(it -> it == meeting)
                        .isPresent())
            .map(ExpectedRecording::end)
            .collect(Collectors.toSet());
    if (ends.contains(ExpectedRecording.ExpectedEnd.UNWELCOME)
        || ends.contains(ExpectedRecording.ExpectedEnd.UNHEARD)) {
      return "failure";
    }
    return ends.contains(ExpectedRecording.ExpectedEnd.DONE)
            || history.unrecorded().contains(meeting)
        ? "success"
        : "not_started";
  }

  private static List<RuleViolation> story(RecordingHistory history, SyncRow row) {
    List<RuleViolation> findings = new ArrayList<>();
    SyncTransition last = new SyncTransition(0, row.meeting(), 0, "", "not_started", 0);
    for (SyncTransition transition : history.syncMoves()) {
      if (transition.meeting() != row.meeting()) {
        continue;
      }
      if (transition.version() != last.version() + 1 || !transition.from().equals(last.to())) {
        findings.add(ViolationKind.GAP.found(transition + " after " + last));
      }
      boolean opens = transition.to().equals("in_progress") && !last.to().equals("in_progress");
      if (transition.attempts() < last.attempts() + (opens ? 1 : 0)) {
        findings.add(ViolationKind.SEQUENCE.found("went back: " + transition + " after " + last));
      }
      last = transition;
    }
    if (!row.status().equals(last.to()) || row.version() != last.version()) {
      findings.add(ViolationKind.GAP.found(row + ", the journal's last is " + last));
    }
    return findings;
  }

  /** Blob store and rows agree, in both directions. */
  static List<RuleViolation> blobStore(RecordingHistory history) {
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
