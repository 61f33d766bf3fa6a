package io.convoke.server.bots;

import io.convoke.engine.crypto.SecretBox;

/** Encrypts secret columns (a meeting's passcode) with {@code CONVOKE_SECRET_KEY}. */
record Sealer(SecretBox box) {
  private static final String PURPOSE = "bot";

  String seal(String clear) {
    return box.seal(PURPOSE, clear);
  }

  String open(String sealed) {
    return box.open(PURPOSE, sealed);
  }
}
