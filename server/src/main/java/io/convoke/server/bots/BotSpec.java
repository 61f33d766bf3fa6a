package io.convoke.server.bots;

import io.convoke.agent.AutomaticLeave;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings that a user requested for a bot; column {@code meetings.bot}.
 *
 * @param passcode sealed with {@code CONVOKE_SECRET_KEY}, never in clear
 * @param automaticLeave in seconds; absent: the defaults
 */
record BotSpec(
    Optional<String> meetingUrl,
    Optional<String> botName,
    Optional<String> language,
    Optional<String> task,
    Optional<String> passcode,
    Optional<LeaveRules> automaticLeave) {

  /** The leave rules as the API takes them. */
  record LeaveRules(
      Optional<Double> waitingRoomTimeout,
      Optional<Double> noOneJoinedTimeout,
      Optional<Double> everyoneLeftTimeout) {
    AutomaticLeave rules(Duration lobbyWait) {
      AutomaticLeave otherwise = AutomaticLeave.DEFAULT;
      return new AutomaticLeave(
          waitingRoomTimeout.map(LeaveRules::seconds).orElse(lobbyWait),
          noOneJoinedTimeout.map(LeaveRules::seconds).orElse(otherwise.noOneJoined()),
          everyoneLeftTimeout.map(LeaveRules::seconds).orElse(otherwise.everyoneLeft()));
    }

    private static Duration seconds(double value) {
      return Duration.ofMillis(Math.round(value * 1000));
    }
  }

  /** The lobby wait that the user requested; empty if the request had none. */
  Optional<Duration> requestedLobbyWait() {
    return automaticLeave.flatMap(LeaveRules::waitingRoomTimeout).map(LeaveRules::seconds);
  }

  /**
   * The rules that the bot is given.
   *
   * @param lobbyWait where the request named none
   */
  AutomaticLeave leaveRules(Duration lobbyWait) {
    return automaticLeave
        .orElse(new LeaveRules(Optional.empty(), Optional.empty(), Optional.empty()))
        .rules(lobbyWait);
  }
}
