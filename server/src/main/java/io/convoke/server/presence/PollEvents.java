package io.convoke.server.presence;

import io.convoke.engine.journal.NewEvent;
import io.convoke.server.presence.merge.Decision;
import io.convoke.server.presence.merge.Decision.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The polls that a meeting's timeline tells of. Most polls confirm what is known and write nothing,
 * so an idle meeting adds no row; told are the first one, those that found what no event had said,
 * those that were slow or succeeded after failures, the first failure in a row, and an event that
 * came while a poll ran. {@code from} and {@code to} are the poll states around it.
 */
final class PollEvents {
  static final String POLLED = "presence.polled";
  static final String FAILED = "presence.poll_failed";
  static final String REQUESTED = "presence.poll_requested";

  /** From here on the platform's answer is worth telling of. */
  static final Duration SLOW = Duration.ofSeconds(2);

  private static final String POLLING = "polling";

  private PollEvents() {}

  /**
   * A poll and what led to it.
   *
   * @param took the platform to answer
   * @param fails polls in a row that failed before it
   */
  record Poll(Trigger trigger, Duration took, int fails) {}

  /** The data of {@link #POLLED}. */
  record Polled(
      long meetingId,
      long userId,
      String trigger,
      List<String> why,
      long tookMs,
      int joined,
      int left,
      int numClients,
      String from,
      String to) {}

  /** The data of {@link #FAILED}. */
  record PollFailed(
      long meetingId,
      long userId,
      String trigger,
      String cause,
      long tookMs,
      long retryInMs,
      String from,
      String to) {}

  /** The data of {@link #REQUESTED}. */
  record PollRequested(long meetingId, long userId, String from, String to) {}

  /** The event of a poll that was committed, if it is worth one. */
  static Optional<NewEvent> polled(Meeting meeting, Poll poll, boolean first, Decision decision) {
    List<String> why = new ArrayList<>();
    if (first) {
      why.add("first");
    }
    if (!decision.changes().isEmpty()) {
      why.add("changed");
    }
    if (poll.fails() > 0) {
      why.add("recovered");
    }
    if (poll.took().compareTo(SLOW) > 0) {
      why.add("slow");
    }
    if (why.isEmpty()) {
      return Optional.empty();
    }
    int joined =
        Math.toIntExact(
            decision.changes().stream().filter(it -> it instanceof Change.Joined).count());
    return Optional.of(
        of(
            POLLED,
            meeting,
            new Polled(
                meeting.id(),
                meeting.userId(),
                poll.trigger().text(),
                List.copyOf(why),
                poll.took().toMillis(),
                joined,
                decision.changes().size() - joined,
                decision.present(),
                POLLING,
                decision.confirmAt().isPresent() ? "needs_poll" : "idle")));
  }

  /** The event of a failure: the first in a row, unless it is our own budget that refused. */
  static Optional<NewEvent> failed(Meeting meeting, Poll poll, String cause, Duration retryIn) {
    return poll.fails() > 0
        ? Optional.empty()
        : Optional.of(
            of(
                FAILED,
                meeting,
                new PollFailed(
                    meeting.id(),
                    meeting.userId(),
                    poll.trigger().text(),
                    cause,
                    poll.took().toMillis(),
                    retryIn.toMillis(),
                    POLLING,
                    "needs_poll")));
  }

  /** The event of a request that came while a poll ran. */
  static NewEvent askedAgain(Meeting meeting) {
    return of(
        REQUESTED,
        meeting,
        new PollRequested(meeting.id(), meeting.userId(), POLLING, "needs_poll_while_polling"));
  }

  private static NewEvent of(String type, Meeting meeting, Object data) {
    return NewEvent.of(type, "meeting:" + meeting.id(), Optional.of(meeting.userId()), data);
  }
}
