package io.convoke.server.bots;

import io.convoke.server.bots.BotRulesConfig.NoProgressAction;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Decides which rule of the server a bot has broken. Pure; {@link BotRuleWatch} acts on it. */
final class BotRuleCheck {
  private final BotRulesConfig terms;

  BotRuleCheck(BotRulesConfig terms) {
    this.terms = terms;
  }

  /**
   * The rule that is broken now, if any: the lifetime first. A bot that is leaving, or was asked
   * to, breaks none.
   *
   * @param upSince since when servers have been up without a gap: a report that they could not take
   *     is not missing
   */
  Optional<BotRule> broken(BotRow row, Instant now, Instant upSince) {
    if (row.stopRequested() || row.endRequest().isPresent()) {
      return Optional.empty();
    }
    boolean inside = row.status() == MeetingStatus.ACTIVE;
    if ((inside || row.status() == MeetingStatus.STARTING)
        && lifeEnd(row).filter(now::isAfter).isPresent()) {
      return Optional.of(BotRule.MAX_LIFETIME);
    }
    if (inside && silenceEnd(row, upSince).filter(now::isAfter).isPresent()) {
      return Optional.of(BotRule.SILENCE);
    }
    return Optional.of(BotRule.NO_PROGRESS)
        .filter(_ -> inside && terms.noProgress() != NoProgressAction.OFF)
        .filter(_ -> progressEnd(row, upSince).filter(now::isAfter).isPresent())
        .filter(
            _ ->
                terms.noProgress() == NoProgressAction.END || row.progress().stalledAt().isEmpty());
  }

  /** When its lifetime is over; empty before its process runs. */
  Optional<Instant> lifeEnd(BotRow row) {
    return row.meeting().startTime().map(start -> start.plus(terms.lifetime(row.limits())));
  }

  private static Optional<Instant> silenceEnd(BotRow row, Instant upSince) {
    return row.limits()
        .silence()
        .map(
            silence ->
                latest(
                        upSince,
                        List.of(
                            row.admittedAt().orElse(upSince),
                            row.progress().spokeAt().orElse(upSince)))
                    .plus(silence));
  }

  private Optional<Instant> progressEnd(BotRow row, Instant upSince) {
    return row.progress()
        .changedAt()
        .map(
            changed ->
                latest(upSince, List.of(changed, row.admittedAt().orElse(upSince)))
                    .plus(terms.noProgressAfter()));
  }

  private static Instant latest(Instant upSince, List<Instant> times) {
    return times.stream().filter(upSince::isBefore).max(Instant::compareTo).orElse(upSince);
  }
}
