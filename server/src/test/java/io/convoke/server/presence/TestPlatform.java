package io.convoke.server.presence;

import io.convoke.engine.redis.Redis;
import io.convoke.server.presence.PresenceTestKit.Node;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/** A platform with rooms that tests fill, and what presence must know of it. */
interface TestPlatform extends AutoCloseable {

  /** As in {@code meetings.platform}. */
  String name();

  /**
   * What a node polls, with a budget in this Redis.
   *
   * @param watched where the node manages its webhook, if it does
   */
  PolledPlatform polled(Redis redis, Optional<URI> watched);

  /** Makes sure that the room exists. */
  void ensure(String room);

  /** A participant joins; returns the session id. */
  String join(String room, String name);

  void leave(String room, String session);

  /** Sends the platform's events to a node from now on. */
  void eventsTo(Node node);

  /** Loses every event from now on. */
  void loseEvents();

  /** Refuses the next calls with an error of the server. */
  void failCalls(int times);

  /** Polls of this room that the platform has answered; bulk calls are none. */
  long polls(String room);

  /** Waits until the room was polled more often than this. */
  void awaitPolls(String room, long more);

  /** Waits until this participant's join was delivered, at the first try. */
  void awaitDelivered(String session);

  /** Waits until no event is on its way. */
  void awaitQuiet();

  /** Tells a node of a join as the platform would; returns the status of the answer. */
  int tellJoined(Node node, String id, String room, String session, Instant at)
      throws IOException, InterruptedException;

  @Override
  void close();
}
