package io.convoke.server.http.auth;

import java.util.Locale;

/** A sign-in credential; its text form omits the secret. */
record Credential(CredentialKind kind, String secret) implements SessionProof {

  /** The three things that prove a person. */
  enum CredentialKind {
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
