package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The CRM has one note of each recording that came through, with the right words, and was never
 * given a reason to make a second one: the same body comes under the same key, and no other words
 * were ever there.
 */
final class CrmRule implements RecordingRule {
  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Truth truth : history.truths()) {
      List<Note> notes =
          history.notes().stream().filter(note -> note.recordingId().equals(truth.id())).toList();
      if (truth.end() == Truth.End.DONE && notes.isEmpty()) {
        findings.add(new Finding(Kind.LOST, "the CRM has no note of " + EndRule.name(truth)));
      }
      if (truth.end() != Truth.End.DONE && !notes.isEmpty()) {
        findings.add(new Finding(Kind.INVENTED, "the CRM has a note of " + EndRule.name(truth)));
      }
      notes.forEach(note -> of(truth, note, history, findings));
    }
    for (Note note : history.notes()) {
      if (history.truths().stream().noneMatch(truth -> truth.id().equals(note.recordingId()))) {
        findings.add(new Finding(Kind.INVENTED, "the CRM has a note of " + note.recordingId()));
      }
    }
    findings.addAll(keys(history.posts()));
    history
        .complaints()
        .forEach(text -> findings.add(new Finding(Kind.REFUSED, "the CRM complains: " + text)));
    return findings;
  }

  private static void of(Truth truth, Note note, RecordingHistory history, List<Finding> findings) {
    if (!note.words().equals(truth.words())) {
      findings.add(
          new Finding(
              Kind.ILLEGAL,
              "the CRM's words of %s are not what was said: %s"
                  .formatted(EndRule.name(truth), note.words())));
    }
    if (note.versions() != 1) {
      findings.add(
          new Finding(
              Kind.DUPLICATED,
              "the CRM was given %d versions of %s"
                  .formatted(note.versions(), EndRule.name(truth))));
    }
    boolean there =
        history
            .row(truth.id())
            .flatMap(Row::meeting)
            .filter(it -> it == note.meeting())
            .isPresent();
    if (!there) {
      findings.add(
          new Finding(
              Kind.ILLEGAL,
              "the CRM has %s under meeting %d".formatted(EndRule.name(truth), note.meeting())));
    }
  }

  private static List<Finding> keys(List<Post> posts) {
    List<Finding> findings = new ArrayList<>();
    Map<String, String> keyOf = new HashMap<>();
    for (Post post : posts) {
      String known = keyOf.putIfAbsent(post.recordingId() + post.body(), post.key());
      if (known != null && !known.equals(post.key())) {
        findings.add(
            new Finding(
                Kind.DUPLICATED,
                "the same note of recording %s came under the keys %s and %s"
                    .formatted(post.recordingId(), known, post.key())));
      }
    }
    return findings;
  }
}
