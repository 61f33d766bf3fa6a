package io.convoke.server.presence;

import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.server.presence.merge.MergeDecision;
import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds the journal events of polls. A poll that changes nothing writes no event, so an idle
 * meeting adds no row. Journaled are the first poll, polls that found a change, were slow or
 * succeeded after failures, the first failure in a row, and a request that arrived during a poll.
 * {@code from} and {@code to} are the poll states before and after.
 */
final class PollJournal {
  static final String POLLED = "presence.polled";
  static final String FAILED = "presence.poll_failed";
  static final String REQUESTED = "presence.poll_requested";

  /** A platform call that takes longer is journaled as slow. */
  static final Duration SLOW = Duration.ofSeconds(2);

  private static final String POLLING = "polling";

  private PollJournal() {}

  /**
   * A finished poll.
   *
   * @param took duration of the platform call
   * @param fails consecutive failed polls before it
   */
  record PollRecord(PollReason trigger, Duration took, int fails) {}

  /** The data of {@link #POLLED}. */
  record PolledData(
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

  /** The event of a committed poll; empty when there is nothing to journal. */
  static Optional<NewJournalEvent> polled(
      PresenceMeeting presenceMeeting,
      PollRecord pollRecord,
      boolean first,
      MergeDecision mergeDecision) {
    List<String> why = new ArrayList<>();
    if (first) {
      why.add("first");
    }
    if (!mergeDecision.changes().isEmpty()) {
      why.add("changed");
    }
    if (pollRecord.fails() > 0) {
      why.add("recovered");
    }
    if (pollRecord.took().compareTo(SLOW) > 0) {
      why.add("slow");
    }
    if (why.isEmpty()) {
      return Optional.empty();
    }
    int joined =
        Math.toIntExact(
            mergeDecision.changes().stream()
                .filter(it -> it instanceof PresenceChange.Joined)
                .count());
    return Optional.of(
        of(
            POLLED,
            presenceMeeting,
            new PolledData(
                presenceMeeting.id(),
                presenceMeeting.userId(),
                pollRecord.trigger().text(),
                List.copyOf(why),
                pollRecord.took().toMillis(),
                joined,
                mergeDecision.changes().size() - joined,
                mergeDecision.present(),
                POLLING,
                mergeDecision.confirmAt().isPresent() ? "needs_poll" : "idle")));
  }

  /** The event of a failed poll; only for the first failure in a row. */
  static Optional<NewJournalEvent> failed(
      PresenceMeeting presenceMeeting, PollRecord pollRecord, String cause, Duration retryIn) {
    return pollRecord.fails() > 0
        ? Optional.empty()
        : Optional.of(
            of(
                FAILED,
                presenceMeeting,
                new PollFailed(
                    presenceMeeting.id(),
                    presenceMeeting.userId(),
                    pollRecord.trigger().text(),
                    cause,
                    pollRecord.took().toMillis(),
                    retryIn.toMillis(),
                    POLLING,
                    "needs_poll")));
  }

  /** The event of a request that arrived during a poll. */
  static NewJournalEvent pollRequested(PresenceMeeting presenceMeeting) {
    return of(
        REQUESTED,
        presenceMeeting,
        new PollRequested(
            presenceMeeting.id(), presenceMeeting.userId(), POLLING, "needs_poll_while_polling"));
  }

  private static NewJournalEvent of(String type, PresenceMeeting presenceMeeting, Object data) {
    return NewJournalEvent.of(
        type, "meeting:" + presenceMeeting.id(), Optional.of(presenceMeeting.userId()), data);
  }
}
