package io.convoke.simulator.state;

import java.util.Map;

/** What is needed to make a room. */
public record RoomRequest(
    String name, String privacy, boolean apiCreated, Map<String, Object> config, Lobby lobby) {

  /** A public room without a lobby. */
  public static RoomRequest named(String name) {
    return new RoomRequest(name, "public", false, Map.of(), new Lobby.OpenLobby());
  }

  public RoomRequest withLobby(Lobby other) {
    return new RoomRequest(name, privacy, apiCreated, config, other);
  }
}
