package io.convoke.simulator.script;

import io.convoke.simulator.state.Lobby;
import java.time.Duration;
import java.util.Optional;

/** A lobby as text: {@code open}, {@code closed}, {@code admit 10s}, {@code deny 10s}. */
public final class LobbyFormat {

  private LobbyFormat() {}

  /** The lobby that this text means, if it means one. */
  public static Optional<Lobby> read(String text) {
    String[] parts = text.trim().split("\\s+", 2);
    Optional<Duration> span = parts.length == 2 ? DurationFormat.read(parts[1]) : Optional.empty();
    return switch (parts[0]) {
      case "open" -> Optional.of(new Lobby.OpenLobby());
      case "closed" -> Optional.of(new Lobby.ClosedLobby());
      case "admit" -> span.map(Lobby.AdmitAfter::new);
      case "deny" -> span.map(Lobby.DenyAfter::new);
      case String other -> Optional.empty();
    };
  }

  public static String write(Lobby lobby) {
    return switch (lobby) {
      case Lobby.OpenLobby openLobby -> "open";
      case Lobby.ClosedLobby closedLobby -> "closed";
      case Lobby.AdmitAfter(Duration span) -> "admit " + DurationFormat.write(span);
      case Lobby.DenyAfter(Duration span) -> "deny " + DurationFormat.write(span);
    };
  }
}
