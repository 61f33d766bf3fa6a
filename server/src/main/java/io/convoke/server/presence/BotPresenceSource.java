package io.convoke.server.presence;

import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.platform.RoomReport;
import io.convoke.server.platform.RoomWitness;
import io.convoke.server.presence.merge.Source;
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
final class BotPresenceSource implements RoomWitness {
  private final MeetingRows meetings;
  private final PresenceRepository repository;
  private final PresenceMeters meters;
  private final PresenceSignals signals;
  private final String polled;

  /** {@code polled} is the platform that presence polls. */
  BotPresenceSource(
      MeetingRows meetings,
      PresenceRepository repository,
      PresenceMeters meters,
      PresenceSignals signals,
      String polled) {
    this.meetings = meetings;
    this.repository = repository;
    this.meters = meters;
    this.signals = signals;
    this.polled = polled;
  }

  @Override
  public void report(long meeting, String platform, RoomReport report) {
    if (platform.equals(polled)) {
      meters.witnessed("unneeded");
      return;
    }
    Optional<RoomPresence> everybody = report.everybody().map(RoomPresence.class::cast);
    commit(meeting, report.events(), everybody);
    meetings
        .watchedBy(meeting)
        .forEach(watched -> commit(watched.meeting(), report.events(), everybody));
  }

  /** The bot's meeting is over: it reports no more. */
  void gone(Meeting bot) {
    if (bot.tracked() || bot.platform().equals(polled)) {
      return;
    }
    for (MeetingRows.Watched watched : meetings.watchedBy(bot.id())) {
      PresenceEvent end =
          PresenceEvent.ofMeeting(
              "gone:" + bot.id(), PresenceEvent.Kind.ENDED, bot.room(), watched.botEnd(), true);
      commit(watched.meeting(), List.of(end), Optional.empty());
    }
  }

  private void commit(long meeting, List<PresenceEvent> events, Optional<RoomPresence> everybody) {
    switch (repository.commit(meeting, events, everybody, Source.BOT)) {
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
