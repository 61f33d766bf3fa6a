package io.convoke.server.platform;

/** Takes down what bots see of their rooms. */
@FunctionalInterface
public interface RoomObserver {

  /**
   * Takes a report down; when this returns it is kept. Repeating a report changes nothing.
   *
   * @param meeting whose bot saw it
   * @param platform of the meeting, as in {@code meetings.platform}
   */
  void report(long meeting, String platform, BotRoomReport report);
}
