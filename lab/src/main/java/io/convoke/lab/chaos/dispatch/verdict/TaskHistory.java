package io.convoke.lab.chaos.dispatch.verdict;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Everything that can be seen of a run. All times are one machine's.
 *
 * @param attempts what the programs noted
 * @param moves the journal, in order
 * @param streamed the journal's numbers in the order in which the event stream brought them
 * @param left what Redis still has when all is over, in words
 */
public record TaskHistory(
    List<Asked> asked,
    List<Answer> answers,
    List<Stop> stops,
    List<Attempt> attempts,
    List<Move> moves,
    List<Long> streamed,
    List<Row> rows,
    List<Shown> shown,
    List<Silence> silences,
    List<Drained> drained,
    List<Trouble> troubles,
    List<String> left,
    Limits limits) {

  /**
   * The numbers by which the servers were told to go.
   *
   * @param window how long a task may wait
   * @param silent after so much silence a pod's death is noticeable
   * @param lease how long a pod keeps a task without a renewal, at most
   * @param stranded within so much more what it held must have moved
   * @param attempts at most
   */
  public record Limits(
      Duration window, Duration silent, Duration lease, Duration stranded, int attempts) {}

  Map<String, List<Move>> story() {
    return moves.stream().collect(Collectors.groupingBy(Move::id));
  }

  Optional<Row> row(String id) {
    return rows.stream().filter(row -> row.id().equals(id)).findFirst();
  }

  List<Attempt> attempts(String id) {
    return attempts.stream().filter(one -> one.id().equals(id)).toList();
  }

  /** Whether somebody wanted it to stop, heard or not. */
  boolean unwanted(String id) {
    return stops.stream().anyMatch(stop -> stop.id().equals(id));
  }

  /** Whether Redis may have forgotten something between these, or was not compared yet. */
  boolean forgotten(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.forgets() && it.touches(start, end));
  }

  boolean troubled(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.touches(start, end));
  }

  /** What was done and seen, counted for the verdict's line. */
  public int operations() {
    return answers.size() + stops.size() + attempts.size() + moves.size() + shown.size();
  }
}
