package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Nobody waits longer than its state allows: from entering it, in the meeting from the last sign of
 * life, and from the wish to stop until the end; counted from the end of our own last absence.
 */
final class DeadlineRule implements BotRule {
  @Override
  public List<Finding> check(BotHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<Long, List<Move>> moves = history.movesOf();
    for (Bot bot : history.bots()) {
      List<Move> mine = moves.getOrDefault(bot.meetingId(), List.of());
      for (int i = 0; i + 1 < mine.size(); i++) {
        Move in = mine.get(i);
        Instant out = mine.get(i + 1).at();
        allowed(history.deadlines(), in.to())
            .flatMap(most -> late(history, since(history, bot, in, out), out, most))
            .ifPresent(by -> findings.add(lost(bot, "left " + in.to() + " " + by + " too late")));
      }
      if (!mine.isEmpty() && bot.over()) {
        Instant end = mine.getLast().at();
        bot.stopRequestedAt()
            .flatMap(asked -> late(history, asked, end, history.deadlines().stopping()))
            .ifPresent(by -> findings.add(lost(bot, "ended " + by + " too late after its stop")));
      }
    }
    return findings;
  }

  private static Instant since(BotHistory history, Bot bot, Move in, Instant out) {
    return in.to().equals("active")
        ? history.signs(bot.connectionId()).stream()
            .filter(sign -> sign.isAfter(in.at()) && !sign.isAfter(out))
            .max(Instant::compareTo)
            .orElse(in.at())
        : in.at();
  }

  private static Optional<Duration> allowed(Deadlines deadlines, String state) {
    return switch (state) {
      case "reserved" -> Optional.of(deadlines.reserved());
      case "starting" -> Optional.of(deadlines.starting());
      case "active" -> Optional.of(deadlines.active());
      case "stopping" -> Optional.of(deadlines.stopping());
      default -> Optional.empty();
    };
  }

  private static Optional<String> late(
      BotHistory history, Instant since, Instant at, Duration most) {
    Instant latest = history.counted(since, at).plus(most).plus(history.deadlines().late());
    return at.isAfter(latest)
        ? Optional.of(
            String.format(Locale.ROOT, "%.1f s", Duration.between(latest, at).toMillis() / 1e3))
        : Optional.empty();
  }

  private static Finding lost(Bot bot, String what) {
    return new Finding(Kind.LOST, "bot %d (%s) %s".formatted(bot.meetingId(), bot.room(), what));
  }
}
