package io.convoke.server.http;

import java.util.Locale;

/** What a person who operates the installation may do; each role has the rights of those before. */
public enum OperatorRole {
  /** Reads everything, of all users; changes nothing. */
  VIEWER,
  /** Also acts: stops bots, requeues tasks, matches recordings, drains pods. */
  OPERATOR,
  /** Also manages users, keys, owners of rooms and webhook endpoints. */
  ADMIN;

  /** Whether this role has the rights of another one. */
  public boolean includes(OperatorRole other) {
    return compareTo(other) >= 0;
  }

  /** Its name in answers and documents. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
