package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Every transcript line that a server acknowledged is stored with its bot's meeting. */
final class BotTranscriptRule implements Rule<BotHistory> {
  @Override
  public List<RuleViolation> check(BotHistory history) {
    Map<String, Long> meetings = new HashMap<>();
    history.bots().forEach(bot -> meetings.put(bot.connectionId(), bot.meetingId()));
    return history.evidence().heard().stream()
        .distinct()
        .filter(line -> meetings.containsKey(line.connectionId()))
        .filter(
            line ->
                !history
                    .evidence()
                    .stored()
                    .contains(meetings.get(line.connectionId()) + " " + line.text()))
        .map(line -> ViolationKind.LOST.found(line + " was answered 200"))
        .toList();
  }
}
