package io.convoke.server.presence;

import io.convoke.server.platform.Participant;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.platform.RoomReport;
import io.convoke.server.platform.RoomReport.Sighting;
import io.convoke.server.platform.RoomWitness;
import io.convoke.server.presence.merge.Evidence;
import io.convoke.server.presence.merge.Source;
import java.util.List;
import java.util.Optional;

/**
 * Presence where no platform can be asked: the bot that is in the room says who else is. Its report
 * is evidence like a webhook, and its list of everybody a snapshot like a poll; both go through the
 * same merge into the same rows. It is committed before the bot is answered, so there is nothing to
 * flag, to queue or to poll.
 *
 * <p>What it sees is also told to the meetings that its user tracks in the same room. When the bot
 * is gone nobody sees them any more, so their stays end with it; the next bot opens again whom it
 * still finds.
 *
 * <p>On a platform that can be asked the report is not needed and not used: two witnesses that name
 * one connection differently would make two people of it.
 */
final class BotWitness implements RoomWitness {
  private final MeetingRows meetings;
  private final Ledger ledger;
  private final PresenceMeters meters;
  private final PresenceSignals signals;
  private final String asked;

  /** {@code asked} is the platform that presence polls. */
  BotWitness(
      MeetingRows meetings,
      Ledger ledger,
      PresenceMeters meters,
      PresenceSignals signals,
      String asked) {
    this.meetings = meetings;
    this.ledger = ledger;
    this.meters = meters;
    this.signals = signals;
    this.asked = asked;
  }

  @Override
  public void report(long meeting, String platform, RoomReport report) {
    if (platform.equals(asked)) {
      meters.witnessed("unneeded");
      return;
    }
    List<Evidence> evidence = report.sightings().stream().map(BotWitness::evidence).toList();
    Optional<RoomPresence> everybody = report.everybody().map(RoomPresence.class::cast);
    keep(meeting, evidence, everybody);
    meetings.watchedBy(meeting).forEach(watched -> keep(watched.meeting(), evidence, everybody));
  }

  /** The bot's meeting is over: it is the witness of nothing any more. */
  void gone(Meeting bot) {
    if (bot.tracked() || bot.platform().equals(asked)) {
      return;
    }
    for (MeetingRows.Watched watched : meetings.watchedBy(bot.id())) {
      Evidence end =
          new Evidence(
              "gone:" + bot.id(),
              Evidence.Kind.ENDED,
              bot.room(),
              "",
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              watched.botEnd(),
              false,
              Source.BOT);
      keep(watched.meeting(), List.of(end), Optional.empty());
    }
  }

  private void keep(long meeting, List<Evidence> evidence, Optional<RoomPresence> everybody) {
    switch (ledger.witnessed(meeting, evidence, everybody)) {
      case Ledger.Result.Committed committed -> {
        meters.witnessed("kept");
        meters.changed(committed.changes());
        signals.committed().emit(meeting);
      }
      case Ledger.Result.Over over -> {
        meters.witnessed("over");
        meters.changed(over.changes());
      }
      case Ledger.Result.Stale _ -> {}
    }
  }

  private static Evidence evidence(Sighting sighting) {
    return switch (sighting) {
      case Sighting.Came(String id, Participant who) ->
          new Evidence(
              id,
              Evidence.Kind.JOINED,
              "",
              who.sessionId(),
              who.userId(),
              who.userName(),
              Optional.of(who.joinedAt()),
              who.joinedAt(),
              false,
              Source.BOT);
      case Sighting.Went went ->
          new Evidence(
              went.id(),
              Evidence.Kind.LEFT,
              "",
              went.sessionId(),
              went.userId(),
              went.userName(),
              went.joinedAt(),
              went.at(),
              false,
              Source.BOT);
    };
  }
}
