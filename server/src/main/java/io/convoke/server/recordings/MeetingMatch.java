package io.convoke.server.recordings;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides which meeting a recording belongs to; in doubt, none. Pure. The first rule that leaves
 * one meeting decides:
 *
 * <ol>
 *   <li>only one of our meetings used the room during the recording
 *   <li>of several, when participants that the platform names for the recorded meeting were in
 *       some, not those known to have had other participants
 *   <li>of the remaining ones, the one during which the middle of the recording lies
 *   <li>of several of one user, which are the same meeting to that user, the one that is tracked
 * </ol>
 */
final class MeetingMatch {
  /**
   * Tolerance for the two clocks, the platform's whole seconds, and the delay with which the server
   * records a start or an end.
   */
  static final Duration TOLERANCE = Duration.ofSeconds(60);

  private MeetingMatch() {}

  /**
   * The overlap of a meeting's participants with those that the platform names for the recorded
   * one.
   */
  enum MatchedAttendance {
    /** At least one of them. */
    THEIRS,
    /** Others, and none of them; polled since. */
    OTHERS,
    /** Not known yet: presence may lag, which is no evidence against the meeting. */
    UNKNOWN
  }

  /** A meeting in the room of the recording, at about its time. */
  record MatchCandidate(
      long meetingId,
      long userId,
      boolean tracked,
      Instant began,
      Optional<Instant> ended,
      MatchedAttendance people) {

    MatchCandidate with(MatchedAttendance who) {
      return new MatchCandidate(meetingId, userId, tracked, began, ended, who);
    }

    boolean contains(Instant moment) {
      return !began.minus(TOLERANCE).isAfter(moment)
          && ended.map(end -> !end.isBefore(moment)).orElse(true);
    }
  }

  /** Decides among candidates; {@code middle} of the recording, if its times are known. */
  static MeetingAssignment decide(List<MatchCandidate> candidates, Optional<Instant> middle) {
    List<MatchCandidate> left = candidates;
    if (left.stream().anyMatch(one -> one.people() == MatchedAttendance.THEIRS)) {
      left = left.stream().filter(one -> one.people() != MatchedAttendance.OTHERS).toList();
    }
    if (middle.isPresent()) {
      List<MatchCandidate> around =
          left.stream().filter(one -> one.contains(middle.get())).toList();
      left = around.isEmpty() ? left : around;
    }
    Set<Long> users = left.stream().map(MatchCandidate::userId).collect(Collectors.toSet());
    if (users.size() == 1) {
      List<MatchCandidate> tracked = left.stream().filter(MatchCandidate::tracked).toList();
      left = tracked.size() == 1 ? tracked : left;
    }
    return left.size() == 1
        ? MeetingAssignment.in(left.getFirst().meetingId(), left.getFirst().userId())
        : MeetingAssignment.unknown(candidates.stream().map(MatchCandidate::meetingId).toList());
  }
}
