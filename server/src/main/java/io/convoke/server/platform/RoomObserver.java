package io.convoke.server.platform;

/** Receives the reports of bots on their rooms. */
@FunctionalInterface
public interface RoomObserver {

  /**
   * Commits a report; it is durable when this returns. Idempotent.
   *
   * @param meeting the bot's meeting
   * @param platform of the meeting, as in {@code meetings.platform}
   */
  void report(long meeting, String platform, BotRoomReport report);
}
