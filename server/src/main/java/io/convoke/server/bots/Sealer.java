package io.convoke.server.bots;

/** Encrypts secret columns (a meeting's passcode) with {@code CONVOKE_SECRET_KEY}. */
public interface Sealer {
  /** Text that only we can open. */
  String seal(String clear);

  /** The clear text. */
  String open(String sealed);
}
