package io.convoke.lab.sim.world;

import java.time.Duration;

/** Who may walk straight into a room. Owners always may. */
public sealed interface Lobby {

  /** Everybody may. */
  record Open() implements Lobby {}

  /** Guests wait for this scripted span and are let in. */
  record AdmitAfter(Duration span) implements Lobby {}

  /** Guests wait for this scripted span and are turned away. */
  record DenyAfter(Duration span) implements Lobby {}

  /** Guests wait until somebody admits them by hand. */
  record Closed() implements Lobby {}
}
