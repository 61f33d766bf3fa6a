package io.convoke.server.platform;

import java.util.List;
import java.util.Optional;

/**
 * A bot's report on its room: joins and leaves, and at times the complete participant list.
 *
 * @param events in the order in which they happened
 * @param everybody all participants after these events, the bot included
 */
public record BotRoomReport(
    List<PresenceEvent> events, Optional<RoomPresence.RoomPresenceComplete> everybody) {
  public BotRoomReport {
    events = List.copyOf(events);
  }
}
