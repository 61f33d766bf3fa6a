package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Users get only documented responses, every accepted bot has a row, and every accepted stop is
 * written there.
 */
final class BotRequestRule implements Rule<BotHistory> {
  /** Status 0: the server was killed before it answered. */
  private static final Map<String, Set<Integer>> ANSWERS =
      Map.of("start", Set.of(0, 201, 409, 429), "stop", Set.of(0, 202, 404));

  /** Responses bots may get; 503 while a store or server is unreachable. */
  private static final Set<Integer> TO_BOTS = Set.of(200, 404, 409, 410, 503);

  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<Long> known =
        history.bots().stream().map(BotEndState::meetingId).collect(Collectors.toSet());
    for (UserCall call : history.userCalls()) {
      if (!ANSWERS.getOrDefault(call.what(), Set.of()).contains(call.status())) {
        findings.add(
            ViolationKind.REFUSED.found(
                "%s of %s was answered %d", call.what(), call.room(), call.status()));
      }
      if (call.status() == 201 && !known.contains(call.meetingId())) {
        findings.add(
            ViolationKind.LOST.found("bot %d was accepted and has no row", call.meetingId()));
      }
    }
    for (UserCall call : history.userCalls()) {
      history.bots().stream()
          .filter(bot -> call.what().equals("stop") && call.status() == 202)
          .filter(bot -> bot.meetingId() == call.meetingId() && bot.stopRequestedAt().isEmpty())
          .filter(bot -> bot.endTime().map(end -> end.isAfter(call.at())).orElse(true))
          .forEach(
              bot ->
                  findings.add(
                      ViolationKind.LOST.found(
                          "the stop of bot %d was accepted and is not written", bot.meetingId())));
    }
    for (BotCall call : history.calls()) {
      if (!TO_BOTS.contains(call.status())) {
        findings.add(
            ViolationKind.REFUSED.found(
                "callback %s of %s was answered %d",
                call.name(), call.connectionId(), call.status()));
      }
    }
    return findings;
  }
}
