package io.convoke.server.bots;

/** Encrypts secret columns (a meeting's passcode) with {@code CONVOKE_SECRET_KEY}. */
public interface Sealer {
  /** The encrypted text. */
  String seal(String clear);

  /** The decrypted text. */
  String open(String sealed);
}
