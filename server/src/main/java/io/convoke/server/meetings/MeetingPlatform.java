package io.convoke.server.meetings;

import java.util.Locale;

/** Where meetings take place. */
public enum MeetingPlatform {
  DAILY,
  JANUS,
  GOOGLE_MEET,
  ZOOM,
  TEAMS;

  /** The value in the database and in JSON. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
