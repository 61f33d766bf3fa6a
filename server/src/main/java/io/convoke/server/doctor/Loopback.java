package io.convoke.server.doctor;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hosts whose traffic does not leave this machine. */
final class Loopback {
  private static final Set<String> HOSTS = Set.of("localhost", "127.0.0.1", "::1", "[::1]");

  private Loopback() {}

  /**
   * @param host null: the URL names several, or none
   */
  static boolean contains(@Nullable String host) {
    return host != null && HOSTS.contains(host);
  }
}
