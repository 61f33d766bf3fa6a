package io.convoke.server.recordings;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides which meeting a recording belongs to, and rather not than wrongly. Pure. The rules, the
 * first that leaves one meeting decides:
 *
 * <ol>
 *   <li>the room was used by one meeting of ours while it was recorded
 *   <li>of several, the one whose people the platform names as those of the recorded meeting
 *   <li>of those that are left, the one in whose time the middle of the recording lies
 *   <li>of several of one user, which are the same meeting to that user, the one that is tracked
 * </ol>
 */
final class MeetingMatch {
  /** How exact the two clocks and our own noticing of an end are. */
  static final Duration TOLERANCE = Duration.ofSeconds(60);

  private MeetingMatch() {}

  /**
   * A meeting in the room of the recording, at about its time.
   *
   * @param shared connections that are known of it and of the recorded meeting
   */
  record Candidate(
      long meetingId,
      long userId,
      boolean tracked,
      Instant began,
      Optional<Instant> ended,
      int shared) {

    boolean contains(Instant moment) {
      return !began.isAfter(moment) && ended.map(end -> !end.isBefore(moment)).orElse(true);
    }
  }

  /** Decides among candidates; {@code middle} of the recording, if its times are known. */
  static Placement decide(List<Candidate> candidates, Optional<Instant> middle) {
    List<Candidate> left = candidates;
    if (left.size() > 1) {
      int most = left.stream().mapToInt(Candidate::shared).max().orElse(0);
      left = left.stream().filter(one -> one.shared() == most).toList();
    }
    if (left.size() > 1 && middle.isPresent()) {
      List<Candidate> around = left.stream().filter(one -> one.contains(middle.get())).toList();
      left = around.isEmpty() ? left : around;
    }
    Set<Long> users = left.stream().map(Candidate::userId).collect(Collectors.toSet());
    if (left.size() > 1 && users.size() == 1) {
      List<Candidate> tracked = left.stream().filter(Candidate::tracked).toList();
      left = tracked.size() == 1 ? tracked : left;
    }
    return left.size() == 1
        ? Placement.in(left.getFirst().meetingId(), left.getFirst().userId())
        : Placement.unknown(candidates.stream().map(Candidate::meetingId).toList());
  }
}
