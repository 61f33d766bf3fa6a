package io.convoke.simulator.state;

import java.time.Duration;

/** Admission to a room. Owners are always admitted. */
public sealed interface Lobby {

  /** All visitors are admitted. */
  record OpenLobby() implements Lobby {}

  /** Guests wait for this scripted span and are admitted. */
  record AdmitAfter(Duration span) implements Lobby {}

  /** Guests wait for this scripted span and are refused. */
  record DenyAfter(Duration span) implements Lobby {}

  /** Guests wait until a host admits them. */
  record ClosedLobby() implements Lobby {}
}
