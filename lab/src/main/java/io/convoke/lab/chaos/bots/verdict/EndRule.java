package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Every bot ended, no place is taken any more, what follows is ordered exactly once, and only one
 * that was let in is completed.
 */
final class EndRule implements BotRule {
  @Override
  public List<Finding> check(BotHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Bot bot : history.bots()) {
      if (!bot.over()) {
        findings.add(
            new Finding(
                Kind.OPEN,
                "bot %d (%s) is still %s".formatted(bot.meetingId(), bot.room(), bot.status())));
      }
      int orders = bot.over() ? 1 : 0;
      if (bot.orders() != orders) {
        findings.add(
            new Finding(
                bot.orders() > orders ? Kind.DUPLICATED : Kind.LOST,
                "bot %d is %s and what follows it is ordered %d times"
                    .formatted(bot.meetingId(), bot.status(), bot.orders())));
      }
      if (bot.over() && (bot.endTime().isEmpty() || bot.reason().isEmpty())) {
        findings.add(
            new Finding(
                Kind.ILLEGAL,
                "bot %d is over without an end or an outcome".formatted(bot.meetingId())));
      }
      if (bot.status().equals("completed") && bot.admittedAt().isEmpty()) {
        findings.add(
            new Finding(
                Kind.ILLEGAL,
                "bot %d is completed and was never let in".formatted(bot.meetingId())));
      }
    }
    return findings;
  }
}
