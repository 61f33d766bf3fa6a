package io.convoke.server.platform;

import java.util.List;
import java.util.Optional;

/**
 * What a bot saw in the room that it is in: joins and leaves, and now and then everybody who is
 * there.
 *
 * @param events in the order in which they happened
 * @param everybody the whole room as the bot saw it after them, itself included
 */
public record BotRoomReport(
    List<PresenceEvent> events, Optional<RoomPresence.RoomPresenceComplete> everybody) {
  public BotRoomReport {
    events = List.copyOf(events);
  }
}
