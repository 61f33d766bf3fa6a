package io.convoke.agent.room;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The URLs in a room's answer. Only those with the scheme, host and port of the request are
 * followed: a room must not redirect its clients to other machines of their network.
 */
public final class RoomUrlCheck {
  private RoomUrlCheck() {}

  /** The address in a field of an answer; empty if it is missing, broken or of another host. */
  public static Optional<URI> of(URI asked, JsonNode answer, String field) {
    try {
      URI told = URI.create(answer.path(field).asString(""));
      return Optional.of(told).filter(it -> origin(it).equals(origin(asked)));
    } catch (IllegalArgumentException broken) {
      return Optional.empty();
    }
  }

  private static String origin(URI address) {
    String scheme = lower(address.getScheme());
    int port = address.getPort();
    int usual = scheme.equals("https") ? 443 : 80;
    return scheme
        + " "
        + lower(address.getHost())
        + " "
        + (address.getRawUserInfo() != null)
        + " "
        + (port < 0 ? usual : port);
  }

  private static String lower(@Nullable String text) {
    return text == null ? "" : text.toLowerCase(Locale.ROOT);
  }
}
