package io.convoke.fakes.janus;

import java.net.URI;
import java.util.Optional;

/**
 * A Janus for tests, fake or real: its admin API, and clients that join its rooms without media.
 */
public interface JanusServer extends AutoCloseable {

  /** The secret of the admin API. */
  String ADMIN_SECRET = "admin-secret-of-tests";

  /** The key of the VideoRoom plugin. */
  String ADMIN_KEY = "admin-key-of-tests";

  /** The password with which it posts events. */
  String EVENT_PASSWORD = "event-password-of-tests";

  /** Where the admin API is. */
  URI adminUrl();

  /** What a client learned when it joined. */
  sealed interface JanusJoin {
    /** It is in the room, under this id. */
    record JanusJoined(String id) implements JanusJoin {}

    /** The plugin refused it. */
    record JanusJoinRefused(int code) implements JanusJoin {}
  }

  /**
   * A client joins as a publisher that publishes nothing.
   *
   * @param id the id that the client wishes; Janus chooses one without it
   */
  JanusJoin join(String room, String pin, Optional<String> id, Optional<String> display);

  /** A client leaves the room, and stays connected to Janus. */
  void leave(String room, String id);

  /** A client ends its connection to Janus without leaving the room. */
  void vanish(String room, String id);

  @Override
  void close();
}
