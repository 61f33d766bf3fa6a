package io.convoke.server.presence.merge;

/** Whether a later connection may have the id of one that ended. */
public enum ConnectionIds {
  /** Each join has a new id, as at Daily. */
  UNIQUE,
  /** A client may name its id, which is unique only among those present, as at Janus. */
  REUSED;

  /** What holds on this platform, as in {@code meetings.platform}. */
  public static ConnectionIds of(String platform) {
    return platform.equals("janus") ? REUSED : UNIQUE;
  }
}
