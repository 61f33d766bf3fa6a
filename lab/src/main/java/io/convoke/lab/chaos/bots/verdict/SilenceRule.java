package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Nobody who is alive and well is ended: a bot that we ended although nobody had stopped it had
 * been silent for its whole time while the control plane was up, and a bot whose process died had
 * something done to it.
 */
final class SilenceRule implements BotRule {
  /** Ends by us, of a bot that ran. */
  private static final Set<String> ENDED = Set.of("heartbeat_lost", "terminated");

  /** Ends of a process that something must have brought about. */
  private static final Set<String> DIED = Set.of("crashed", "vanished", "out_of_memory");

  /** How far our clock and the database's reading of it may lie apart. */
  private static final Duration CLOSE = Duration.ofMillis(400);

  @Override
  public List<Finding> check(BotHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<Long, List<Move>> moves = history.movesOf();
    for (Bot bot : history.bots()) {
      boolean wanted = bot.stopRequestedAt().isPresent();
      for (Move move : moves.getOrDefault(bot.meetingId(), List.of())) {
        boolean ran = move.found().equals("running") || move.found().isEmpty();
        if (!wanted && ENDED.contains(move.reason()) && ran && !silent(history, bot, move)) {
          findings.add(
              illegal(bot, "was ended (%s) and had not been silent".formatted(move.reason())));
        }
        boolean died = DIED.contains(move.reason()) || (ENDED.contains(move.reason()) && !ran);
        if (!wanted && bot.honest() && died && !history.touched(bot.meetingId())) {
          findings.add(
              illegal(bot, "ended as %s and nothing was done to it".formatted(move.reason())));
        }
      }
    }
    return findings;
  }

  /**
   * Whether shortly before the end there was a gap as long as the deadline, in which no sign came
   * and the control plane was not away.
   */
  private static boolean silent(BotHistory history, Bot bot, Move end) {
    Deadlines deadlines = history.deadlines();
    Instant from = end.at().minus(deadlines.late());
    List<Instant> marks = new ArrayList<>(history.signs(bot.connectionId()));
    marks.addAll(history.countedFrom());
    marks.removeIf(mark -> mark.isAfter(end.at()));
    marks.add(end.at());
    marks.sort(Comparator.naturalOrder());
    Instant before = bot.startTime().orElse(end.at());
    for (Instant mark : marks) {
      boolean enough =
          Duration.between(before, mark).plus(CLOSE).compareTo(deadlines.active()) >= 0;
      if (enough && mark.isAfter(from)) {
        return true;
      }
      before = mark.isAfter(before) ? mark : before;
    }
    return false;
  }

  private static Finding illegal(Bot bot, String what) {
    return new Finding(Kind.ILLEGAL, "bot %d (%s) %s".formatted(bot.meetingId(), bot.room(), what));
  }
}
