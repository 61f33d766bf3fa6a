package io.convoke.server.bots;

import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Who must move a bot out of each state, and until when; nothing may wait for ever. {@code GET
 * /bots/status} serves it, {@link SweepStore} reads by it.
 *
 * <p>A request that asked for a wait in the lobby longer than the operator's bound for {@code
 * starting} gets it whole, and {@link #LOBBY_MARGIN}. The wait that every bot is given by default
 * prolongs nothing.
 */
final class Deadlines {
  /**
   * What a bot gets on top of its time in the lobby, to start, to knock and to say that it gave up.
   */
  static final Duration LOBBY_MARGIN = Duration.ofMinutes(1);

  private final BotTerms terms;

  Deadlines(BotTerms terms) {
    this.terms = terms;
  }

  /**
   * One line of the table.
   *
   * @param owner who must move it on
   * @param from what the time is counted from
   * @param overdue what the sweeper makes of it then
   */
  record Rule(MeetingStatus status, String owner, String from, Duration timeout, String overdue) {}

  /** The table. */
  List<Rule> rules() {
    return List.of(
        new Rule(
            MeetingStatus.RESERVED,
            "launcher",
            "state_entered_at, or start_at",
            terms.reservedTimeout(),
            "failed: never_started"),
        new Rule(
            MeetingStatus.STARTING,
            "bot",
            "state_entered_at",
            terms.startingTimeout(),
            "failed: join_timeout"),
        new Rule(
            MeetingStatus.ACTIVE,
            "bot",
            "last heartbeat",
            terms.heartbeatTimeout(),
            "failed: heartbeat_lost"),
        new Rule(
            MeetingStatus.STOPPING,
            "bot",
            "state_entered_at",
            terms.stoppingTimeout(),
            "failed: leave_timeout"));
  }

  /** How late a bot may start. */
  Duration late() {
    return terms.reservedTimeout();
  }

  /** Who must move this bot on; nobody once it is over. */
  Optional<String> owner(BotRow row) {
    return rules().stream()
        .filter(rule -> rule.status() == row.status())
        .map(Rule::owner)
        .findFirst();
  }

  /** When this bot's state is overdue; never once it is over. A stop has a deadline of its own. */
  Optional<Instant> of(BotRow row) {
    Optional<Instant> stateEnd =
        switch (row.status()) {
          case RESERVED ->
              Optional.of(
                  later(row.stateEnteredAt(), row.startAt().orElse(row.stateEnteredAt()))
                      .plus(terms.reservedTimeout()));
          case STARTING ->
              Optional.of(row.stateEnteredAt().plus(starting(row.wish().requestedLobbyWait())));
          case ACTIVE -> Optional.of(row.lastSign().plus(terms.heartbeatTimeout()));
          case STOPPING -> Optional.of(row.stateEnteredAt().plus(terms.stoppingTimeout()));
          case COMPLETED, FAILED -> Optional.empty();
        };
    return stateEnd.map(end -> stopEnd(row).filter(end::isAfter).orElse(end));
  }

  /** When a stop that was asked for counts as unheeded. */
  Optional<Instant> stopEnd(BotRow row) {
    return row.status().terminal()
        ? Optional.empty()
        : row.stopRequestedAt().map(since -> since.plus(terms.stoppingTimeout()));
  }

  private Duration starting(Optional<Duration> requestedLobbyWait) {
    return requestedLobbyWait
        .filter(wait -> wait.compareTo(terms.startingTimeout()) > 0)
        .map(wait -> wait.plus(LOBBY_MARGIN))
        .orElse(terms.startingTimeout());
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
