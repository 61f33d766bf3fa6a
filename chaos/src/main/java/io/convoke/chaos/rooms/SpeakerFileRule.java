package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/**
 * An egress that records has files of each person, in which a transcriber hears words of this
 * person, however often people came and went and pods died. All speak when the faults are over, so
 * that no one has a reason to be missing. A sentence that a fault cut in two can sound like one of
 * another person; most of them do not.
 */
final class SpeakerFileRule implements Rule<RoomHistory> {
  @Override
  public List<RuleViolation> check(RoomHistory history) {
    if (!history.egress().state().equals("SUCCESS")) {
      return List.of();
    }
    List<RuleViolation> found = new ArrayList<>();
    for (String name : history.sentences().keySet()) {
      List<String> heard =
          history.files().stream()
              .filter(file -> file.speaker().filter(name::equals).isPresent())
              .flatMap(file -> file.heard().stream())
              .filter(line -> history.speakerOf(line).isPresent())
              .toList();
      long own =
          heard.stream()
              .filter(line -> history.speakerOf(line).filter(name::equals).isPresent())
              .count();
      long others = heard.size() - own;
      if (own == 0 || (others > SpokenLineRule.CUT_MAX && others >= own)) {
        found.add(
            new RuleViolation(
                own == 0 ? ViolationKind.LOST : ViolationKind.ILLEGAL,
                "in the files of %s is heard %s".formatted(name, heard)));
      }
    }
    return found;
  }
}
