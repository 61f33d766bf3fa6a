package io.convoke.server.bots;

import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The owner and the deadline of each non-terminal state of a bot (law 5). {@code GET /bots/status}
 * serves it, {@link SweepStore} reads by it.
 *
 * <p>A request with a lobby wait longer than the operator's bound for {@code starting} gets all of
 * it plus {@link #LOBBY_MARGIN}. A request without one waits as long as the operator allows ({@link
 * #defaultLobbyWait}).
 */
final class BotDeadlines {
  /** Added to the lobby wait: time to start, to join and to report the timeout. */
  static final Duration LOBBY_MARGIN = Duration.ofMinutes(1);

  private final BotsConfig terms;

  BotDeadlines(BotsConfig terms) {
    this.terms = terms;
  }

  /**
   * One line of the table.
   *
   * @param owner the component that must move it on
   * @param from the start of the deadline
   * @param overdue the sweeper's event once it is overdue
   */
  record DeadlineRule(
      MeetingStatus status, String owner, String from, Duration timeout, String overdue) {}

  /** The table. */
  List<DeadlineRule> rules() {
    return List.of(
        new DeadlineRule(
            MeetingStatus.RESERVED,
            "launcher",
            "state_entered_at, or start_at",
            terms.reservedTimeout(),
            "failed: never_started"),
        new DeadlineRule(
            MeetingStatus.STARTING,
            "bot",
            "state_entered_at",
            terms.startingTimeout(),
            "failed: join_timeout"),
        new DeadlineRule(
            MeetingStatus.ACTIVE,
            "bot",
            "last heartbeat",
            terms.heartbeatTimeout(),
            "failed: heartbeat_lost"),
        new DeadlineRule(
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

  /** The owner of this bot's state; none once it is terminal. */
  Optional<String> owner(BotRow row) {
    return rules().stream()
        .filter(deadlineRule -> deadlineRule.status() == row.status())
        .map(DeadlineRule::owner)
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
              Optional.of(row.stateEnteredAt().plus(starting(row.spec().requestedLobbyWait())));
          case ACTIVE -> Optional.of(row.lastSign().plus(terms.heartbeatTimeout()));
          case STOPPING -> Optional.of(row.stateEnteredAt().plus(terms.stoppingTimeout()));
          case COMPLETED, FAILED -> Optional.empty();
        };
    return stateEnd
        .map(end -> stopEnd(row).filter(end::isAfter).orElse(end))
        .map(end -> ruleEnd(row).filter(end::isAfter).orElse(end));
  }

  /** When a bot that a rule has asked to leave counts as one that does not. */
  Optional<Instant> ruleEnd(BotRow row) {
    return row.status().terminal()
        ? Optional.empty()
        : row.endRequest().map(request -> request.at().plus(terms.stoppingTimeout()));
  }

  /**
   * How long a bot waits for admission that was given no time for it: almost all of the operator's
   * time to start, so that the bot itself gives up before it is ended.
   */
  Duration defaultLobbyWait() {
    Duration half = terms.startingTimeout().dividedBy(2);
    Duration most = terms.startingTimeout().minus(LOBBY_MARGIN);
    return most.compareTo(half) > 0 ? most : half;
  }

  /** When a requested stop counts as unheeded. */
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
