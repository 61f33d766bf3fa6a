package io.convoke.server.presence;

import io.convoke.server.platform.Participant;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.platform.RoomReport;
import io.convoke.server.platform.RoomReport.Sighting;
import io.convoke.server.platform.RoomWitness;
import java.util.List;
import java.util.Optional;

/**
 * Presence where no platform can be asked: the bot that is in the room says who else is. Its report
 * is evidence like a webhook, and its list of everybody a snapshot like a poll; both go through the
 * same merge into the same rows. It is committed before the bot is answered, so there is nothing to
 * flag, to queue or to poll.
 *
 * <p>On a platform that can be asked the report is not needed and not used: two witnesses that name
 * one connection differently would make two people of it.
 */
final class BotWitness implements RoomWitness {
  private final Ledger ledger;
  private final PresenceMeters meters;
  private final PresenceSignals signals;
  private final String asked;

  /** {@code asked} is the platform that presence polls. */
  BotWitness(Ledger ledger, PresenceMeters meters, PresenceSignals signals, String asked) {
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
    switch (ledger.commit(meeting, evidence, everybody)) {
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
