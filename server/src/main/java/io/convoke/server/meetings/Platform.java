package io.convoke.server.meetings;

import java.util.Locale;

/** Where meetings take place. */
public enum Platform {
  DAILY,
  GOOGLE_MEET,
  ZOOM,
  TEAMS;

  /** The value in the database and in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
