package io.convoke.server.http;

import java.util.Locale;

/** What a person signs in with; it never prints the secret. */
record Credential(Kind kind, String secret) {

  /** The three things that prove a person. */
  enum Kind {
    API_KEY,
    ADMIN_KEY,
    JWT;

    /** Its name in JSON. */
    String member() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public String toString() {
    return kind + " ***";
  }
}
