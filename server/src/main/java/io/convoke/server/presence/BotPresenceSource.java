package io.convoke.server.presence;

import io.convoke.server.platform.BotRoomReport;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomObserver;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.merge.ChangeSource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Presence for platforms without a presence API: the bot in the room reports the participants. Its
 * events are merged like webhook events and its participant list like a poll snapshot, into the
 * same rows. A report is committed before the bot gets its response, so nothing is flagged, queued
 * or polled.
 *
 * <p>A report also counts for the meetings that the bot's user tracks in the same room. When the
 * bot leaves, their open sessions are closed, because no other source observes the room; the next
 * bot reopens those it still finds. A server that was stopped, or without its database, at that
 * moment missed it, so housekeeping closes those that are {@link #unobserved}.
 *
 * <p>Reports from a platform with a presence API are ignored: the two sources use different session
 * ids, so each connection would be counted twice.
 */
final class BotPresenceSource implements RoomObserver {
  private final MeetingQueries meetings;
  private final PresenceRepository repository;
  private final PresenceMetrics meters;
  private final PresenceTestSignals signals;
  private final PolledPlatform polled;

  BotPresenceSource(
      MeetingQueries meetings,
      PresenceRepository repository,
      PresenceMetrics meters,
      PresenceTestSignals signals,
      PolledPlatform polled) {
    this.meetings = meetings;
    this.repository = repository;
    this.meters = meters;
    this.signals = signals;
    this.polled = polled;
  }

  @Override
  public void report(long meeting, String platform, BotRoomReport report) {
    if (polled.polls(platform)) {
      meters.recordBotReport("unneeded");
      return;
    }
    Optional<RoomPresence> everybody = report.everybody().map(RoomPresence.class::cast);
    if (!commit(meeting, report.events(), everybody)) {
      // The bot is gone: what it saw in tracked meetings is closed, and stays so.
      return;
    }
    for (MeetingQueries.BotObservedMeeting botObservedMeeting : meetings.watchedBy(meeting)) {
      boolean _ = commit(botObservedMeeting.meeting(), report.events(), everybody);
    }
  }

  /** Closes the sessions of the tracked meetings that this bot observed; its meeting is over. */
  void gone(PresenceMeeting bot) {
    if (bot.tracked() || polled.polls(bot.platform())) {
      return;
    }
    for (MeetingQueries.BotObservedMeeting botObservedMeeting : meetings.watchedBy(bot.id())) {
      close(
          "gone:" + bot.id(),
          botObservedMeeting.meeting(),
          bot.room(),
          botObservedMeeting.botEnd());
    }
  }

  /**
   * Tracked meetings with sessions that a bot saw and none sees any more: {@link #gone} was missed,
   * or a report was committed after it.
   *
   * @param after only meetings with greater ids, in their order
   */
  List<MeetingQueries.UnobservedMeeting> unobserved(long after, int limit) {
    return meetings.unobserved(polled.names(), after, limit);
  }

  /** Closes the sessions of such a meeting. */
  void close(MeetingQueries.UnobservedMeeting unobserved) {
    close(
        "unobserved:" + unobserved.since().toEpochMilli(),
        unobserved.meeting().id(),
        unobserved.meeting().room(),
        unobserved.since());
  }

  /** Closes the open sessions of a tracked meeting, once for an event id. */
  private void close(String eventId, long meeting, String room, Instant at) {
    PresenceEvent end =
        PresenceEvent.ofMeeting(eventId, PresenceEvent.PresenceEventKind.ENDED, room, at, true);
    boolean _ = commit(meeting, List.of(end), Optional.empty());
  }

  /** Commits what a bot saw; false if the meeting is over. */
  private boolean commit(
      long meeting, List<PresenceEvent> events, Optional<RoomPresence> everybody) {
    return switch (repository.commit(meeting, events, everybody, ChangeSource.BOT)) {
      case PresenceRepository.Committed committed -> {
        meters.recordBotReport("kept");
        meters.changed(committed.changes());
        signals.committed().emit(meeting);
        yield true;
      }
      case PresenceRepository.Over over -> {
        meters.recordBotReport("over");
        meters.changed(over.changes());
        yield false;
      }
    };
  }
}
