package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.rooms.RoomHistory.PlayedFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An egress that records has files of each person, in which a transcriber hears words of this
 * person, however often people came and went and pods died; also two people of one name have each
 * their own. All speak when the faults are over, so that no one has a reason to be missing. A
 * sentence that a fault cut in two can sound like one of another person; most of them do not.
 */
final class SpeakerFileRule implements Rule<RoomHistory> {
  @Override
  public List<RuleViolation> check(RoomHistory history) {
    if (!history.egress().state().equals("SUCCESS")) {
      return List.of();
    }
    List<RuleViolation> found = new ArrayList<>();
    for (String name : history.sentences().keySet()) {
      String shown = RoomPlan.shown(name);
      List<String> heard =
          history.files().stream()
              .filter(file -> file.speaker().filter(shown::equals).isPresent())
              .flatMap(file -> file.heard().stream())
              .filter(line -> history.speakerOf(line).isPresent())
              .toList();
      List<String> speakers =
          heard.stream().flatMap(line -> history.speakerOf(line).stream()).toList();
      long own = speakers.stream().filter(name::equals).count();
      long others = speakers.stream().filter(it -> !RoomPlan.shown(it).equals(shown)).count();
      if (own == 0 || (others > SpokenLineRule.CUT_MAX && others >= own)) {
        found.add(
            new RuleViolation(
                own == 0 ? ViolationKind.LOST : ViolationKind.ILLEGAL,
                "in the files of %s, shown as %s, is heard %s".formatted(name, shown, heard)));
      }
    }
    history.files().stream()
        .filter(file -> sharedByNamesakes(history, file))
        .map(file -> new RuleViolation(ViolationKind.ILLEGAL, "two people of one name: " + file))
        .forEach(found::add);
    return found;
  }

  private static boolean sharedByNamesakes(RoomHistory history, PlayedFile file) {
    Map<String, Long> lines =
        file.heard().stream()
            .flatMap(line -> history.speakerOf(line).stream())
            .filter(name -> file.speaker().filter(RoomPlan.shown(name)::equals).isPresent())
            .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
    return lines.values().stream().filter(count -> count > SpokenLineRule.CUT_MAX).count() > 1;
  }
}
