package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.rooms.RoomHistory.PlayedFile;
import java.util.ArrayList;
import java.util.List;

/**
 * An egress that records has a file of each person, in which a transcriber hears words of this
 * person and of no other, however often people came and went and pods died. All speak when the
 * faults are over, so that no one has a reason to be missing.
 */
final class SpeakerFileRule implements Rule<RoomHistory> {
  @Override
  public List<RuleViolation> check(RoomHistory history) {
    if (!history.egress().state().equals("SUCCESS")) {
      return List.of();
    }
    List<RuleViolation> found = new ArrayList<>();
    for (String name : history.sentences().keySet()) {
      List<PlayedFile> its =
          history.files().stream()
              .filter(file -> file.speaker().filter(name::equals).isPresent())
              .toList();
      if (its.stream().noneMatch(file -> hears(history, file, name))) {
        found.add(
            new RuleViolation(ViolationKind.LOST, "words of " + name + " in its file: " + its));
      }
    }
    for (PlayedFile file : history.files()) {
      for (String line : file.heard()) {
        history
            .speakerOf(line)
            .filter(speaker -> !file.speaker().filter(speaker::equals).isPresent())
            .map(
                speaker ->
                    new RuleViolation(
                        ViolationKind.ILLEGAL,
                        "'%s' of %s is in a file of %s"
                            .formatted(line, speaker, file.speaker().orElse(file.name()))))
            .ifPresent(found::add);
      }
    }
    return found;
  }

  private static boolean hears(RoomHistory history, PlayedFile file, String name) {
    return file.heard().stream()
        .anyMatch(line -> history.speakerOf(line).filter(name::equals).isPresent());
  }
}
