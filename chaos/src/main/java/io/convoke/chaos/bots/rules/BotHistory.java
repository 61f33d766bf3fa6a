package io.convoke.chaos.bots.rules;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Everything observed of the bots of one run.
 *
 * @param limits bot limit of each user
 * @param transitions transitions in the journal, by sequence
 * @param countedFrom when the control plane restarted all deadlines after an outage
 * @param runsOn processes seen after their row had ended
 * @param processes processes running at the end of the run
 * @param replayResult result of replaying old calls after the end
 * @param replay differences found by {@code convoke replay}
 */
public record BotHistory(
    BotStateLimits deadlines,
    Map<Long, Integer> limits,
    List<BotEndState> bots,
    List<BotTransition> transitions,
    List<UserCall> userCalls,
    List<BotCall> calls,
    List<InjectedFault> injectedFaults,
    List<Instant> countedFrom,
    List<OrphanProcess> runsOn,
    List<String> processes,
    ReplayResult replayResult,
    List<String> replay) {

  public int operations() {
    return userCalls.size()
        + calls.size()
        + transitions.size()
        + injectedFaults.size()
        + replayResult.replays().size();
  }

  Map<Long, List<BotTransition>> transitionsByBot() {
    return transitions.stream().collect(Collectors.groupingBy(BotTransition::meetingId));
  }

  /** Callbacks of a launch that a server accepted, oldest first. */
  List<Instant> signs(String connectionId) {
    return calls.stream()
        .filter(call -> call.connectionId().equals(connectionId) && call.sign())
        .map(BotCall::at)
        .sorted()
        .toList();
  }

  /** When a deadline starts at a given time: not before the end of the last outage. */
  Instant counted(Instant since, Instant at) {
    return countedFrom.stream()
        .filter(from -> from.isAfter(since) && !from.isAfter(at))
        .max(Instant::compareTo)
        .orElse(since);
  }

  boolean touched(long meetingId) {
    return injectedFaults.stream()
        .anyMatch(injectedFault -> injectedFault.meetingId() == meetingId);
  }
}
