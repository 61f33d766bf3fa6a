package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.rooms.RoomHistory.TranscriptLine;
import io.convoke.chaos.rooms.RoomMachine.TranscribedLine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Each line that a transcriber returned is in the transcript, under the name of the one whose words
 * they are, and the bot hears words again when the faults are over; what was said last is in the
 * recording of the bot that was there, and no recording of a bot is longer than people spoke.
 * Excused are what a bot had not sent when it was killed, and one line of a person, if bots heard
 * more: a sentence that a fault cut can sound like one of another person.
 */
final class SpokenLineRule implements Rule<RoomHistory> {
  /** In which a bot sends what it has been told. */
  private static final Duration SENDING = Duration.ofSeconds(5);

  /** By which the times of words may be off. */
  private static final Duration EXACT = Duration.ofSeconds(5);

  /** Lines heard from one person that may sound like another's, since a fault cut a sentence. */
  static final int CUT_MAX = 1;

  @Override
  public List<RuleViolation> check(RoomHistory history) {
    List<RuleViolation> found = new ArrayList<>();
    List<TranscriptLine> live =
        history.transcript().stream().filter(it -> !it.ofRecording()).toList();
    List<TranscriptLine> recorded =
        history.transcript().stream().filter(TranscriptLine::ofRecording).toList();
    history.heard().stream()
        .filter(line -> !has(live, line.text()) && !excused(history, line))
        .map(line -> new RuleViolation(ViolationKind.LOST, "the bot's line " + line))
        .forEach(found::add);
    if (history.heard().stream().noneMatch(line -> line.at().isAfter(history.quiet()))) {
      found.add(new RuleViolation(ViolationKind.LOST, "the bot heard nothing in the end"));
    }
    history.recorded().stream()
        .filter(text -> !has(recorded, text))
        .map(text -> new RuleViolation(ViolationKind.LOST, "a recorded line '" + text + "'"))
        .forEach(found::add);
    List<TranscriptLine> ofBots =
        recorded.stream().filter(TranscriptLine::ofBotsRecording).toList();
    if (ofBots.stream()
        .noneMatch(
            line -> history.speakerOf(line.text()).filter(RoomPlan.NAMESAKE::equals).isPresent())) {
      found.add(
          new RuleViolation(
              ViolationKind.LOST, "what was said last is not in the bot's recording"));
    }
    ofBots.stream()
        .filter(line -> line.start() > history.stay().plus(EXACT).toMillis() / 1000.0)
        .map(line -> new RuleViolation(ViolationKind.ILLEGAL, "later than people spoke: " + line))
        .forEach(found::add);
    ofOthers(history, recorded.stream().filter(line -> !line.ofBotsRecording()).toList())
        .map(line -> new RuleViolation(ViolationKind.ILLEGAL, "words of another one: " + line))
        .forEach(found::add);
    mostlyOwn(history, live, found);
    mostlyOwn(history, ofBots, found);
    return found;
  }

  /** What a bot hears, also for its recording, may be cut by a fault. */
  private static void mostlyOwn(
      RoomHistory history, List<TranscriptLine> heard, List<RuleViolation> found) {
    heard.stream()
        .filter(line -> history.speakerOf(line.text()).isPresent())
        .collect(Collectors.groupingBy(TranscriptLine::speaker))
        .values()
        .forEach(
            lines -> {
              List<TranscriptLine> others = ofOthers(history, lines).toList();
              if (others.size() > CUT_MAX || 2 * others.size() > lines.size()) {
                found.add(
                    new RuleViolation(ViolationKind.ILLEGAL, "words of another one: " + others));
              }
            });
  }

  private static Stream<TranscriptLine> ofOthers(RoomHistory history, List<TranscriptLine> lines) {
    return lines.stream()
        .filter(
            line ->
                history
                    .speakerOf(line.text())
                    .filter(speaker -> !RoomPlan.shown(speaker).equals(line.speaker()))
                    .isPresent());
  }

  private static boolean has(List<TranscriptLine> lines, String text) {
    return lines.stream().anyMatch(line -> line.text().contains(text));
  }

  private static boolean excused(RoomHistory history, TranscribedLine line) {
    Optional<Instant> killed = Optional.ofNullable(history.killedBots().get(line.bot()));
    return killed
        .filter(at -> line.at().isAfter(at.minus(SENDING)) || history.disturbed(line.at(), at))
        .isPresent();
  }
}
