package io.convoke.client;

import java.time.Instant;

/**
 * A room with links to join it.
 *
 * @param expiresAt when the links end
 */
public record RoomInvitation(String platform, String room, Instant expiresAt, RoomLinks links) {
  /**
   * The links.
   *
   * @param host also removes others
   */
  public record RoomLinks(String host, String guest) {}
}
