package io.convoke.server.bots;

import io.convoke.engine.crypto.SecretBox;

/** Encrypts secret columns (a meeting's passcode) with {@code CONVOKE_SECRET_KEY}. */
public record Sealer(SecretBox box) {
  /** The purpose that the columns are sealed for. */
  public static final String PURPOSE = "bot";

  String seal(String clear) {
    return box.seal(PURPOSE, clear);
  }

  String open(String sealed) {
    return box.open(PURPOSE, sealed);
  }
}
