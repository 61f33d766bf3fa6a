package io.convoke.server.presence;

import io.convoke.server.platform.BotRoomReport;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomObserver;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.merge.ChangeSource;
import java.util.List;
import java.util.Optional;

/**
 * Presence where no platform can be polled: the bot in the room reports who else is there. Its
 * events are evidence like a webhook, and its list of everybody a snapshot like a poll; both go
 * through the same merge into the same rows. A report is committed before the bot is answered, so
 * there is nothing to flag, to queue or to poll.
 *
 * <p>A report also counts for the meetings that the bot's user tracks in the same room. When the
 * bot is gone their sessions end with it, because no other source sees the room; the next bot opens
 * again those that it still finds.
 *
 * <p>On a platform that can be polled reports are ignored: two sources that name one connection
 * differently would make two people of it.
 */
final class BotPresenceSource implements RoomObserver {
  private final MeetingQueries meetings;
  private final PresenceRepository repository;
  private final PresenceMetrics meters;
  private final PresenceTestSignals signals;
  private final String polled;

  /** {@code polled} is the platform that presence polls. */
  BotPresenceSource(
      MeetingQueries meetings,
      PresenceRepository repository,
      PresenceMetrics meters,
      PresenceTestSignals signals,
      String polled) {
    this.meetings = meetings;
    this.repository = repository;
    this.meters = meters;
    this.signals = signals;
    this.polled = polled;
  }

  @Override
  public void report(long meeting, String platform, BotRoomReport report) {
    if (platform.equals(polled)) {
      meters.witnessed("unneeded");
      return;
    }
    Optional<RoomPresence> everybody = report.everybody().map(RoomPresence.class::cast);
    commit(meeting, report.events(), everybody);
    meetings
        .watchedBy(meeting)
        .forEach(
            botObservedMeeting -> commit(botObservedMeeting.meeting(), report.events(), everybody));
  }

  /** The bot's meeting is over: it reports no more. */
  void gone(PresenceMeeting bot) {
    if (bot.tracked() || bot.platform().equals(polled)) {
      return;
    }
    for (MeetingQueries.BotObservedMeeting botObservedMeeting : meetings.watchedBy(bot.id())) {
      PresenceEvent end =
          PresenceEvent.ofMeeting(
              "gone:" + bot.id(),
              PresenceEvent.PresenceEventKind.ENDED,
              bot.room(),
              botObservedMeeting.botEnd(),
              true);
      commit(botObservedMeeting.meeting(), List.of(end), Optional.empty());
    }
  }

  private void commit(long meeting, List<PresenceEvent> events, Optional<RoomPresence> everybody) {
    switch (repository.commit(meeting, events, everybody, ChangeSource.BOT)) {
      case PresenceRepository.Committed committed -> {
        meters.witnessed("kept");
        meters.changed(committed.changes());
        signals.committed().emit(meeting);
      }
      case PresenceRepository.Over over -> {
        meters.witnessed("over");
        meters.changed(over.changes());
      }
    }
  }
}
