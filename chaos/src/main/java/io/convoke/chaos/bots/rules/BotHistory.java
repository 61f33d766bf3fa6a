package io.convoke.chaos.bots.rules;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * All that was observed of the bots of one run.
 *
 * @param limits of live bots, by user
 * @param moves as the journal has them, by sequence
 * @param countedFrom moments at which the control plane, having been away, began all deadlines anew
 * @param runsOn processes behind rows that were over
 * @param processes that ran when all was over
 * @param haunting what became of old calls after the end
 * @param replay what {@code convoke replay} told of differences
 */
public record BotHistory(
    BotStateLimits deadlines,
    Map<Long, Integer> limits,
    List<BotEndState> bots,
    List<BotMove> moves,
    List<UserCall> userCalls,
    List<BotCall> calls,
    List<InjectedFault> deeds,
    List<Instant> countedFrom,
    List<OrphanProcess> runsOn,
    List<String> processes,
    ReplayResult haunting,
    List<String> replay) {

  public int operations() {
    return userCalls.size() + calls.size() + moves.size() + deeds.size() + haunting.ghosts().size();
  }

  Map<Long, List<BotMove>> movesOf() {
    return moves.stream().collect(Collectors.groupingBy(BotMove::meetingId));
  }

  /** Signs of life of a launch that a server took in, oldest first. */
  List<Instant> signs(String connectionId) {
    return calls.stream()
        .filter(call -> call.connectionId().equals(connectionId) && call.sign())
        .map(BotCall::at)
        .sorted()
        .toList();
  }

  /**
   * The moment that a deadline counts from at a given time: not before the last absence of ours.
   */
  Instant counted(Instant since, Instant at) {
    return countedFrom.stream()
        .filter(from -> from.isAfter(since) && !from.isAfter(at))
        .max(Instant::compareTo)
        .orElse(since);
  }

  boolean touched(long meetingId) {
    return deeds.stream().anyMatch(injectedFault -> injectedFault.meetingId() == meetingId);
  }
}
