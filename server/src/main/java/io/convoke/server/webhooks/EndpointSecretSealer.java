package io.convoke.server.webhooks;

import io.convoke.engine.crypto.SecretBox;

/** Encrypts the secrets of endpoints with {@code CONVOKE_SECRET_KEY}. */
record EndpointSecretSealer(SecretBox box) {
  private static final String PURPOSE = "webhook-endpoint";

  String seal(String clear) {
    return box.seal(PURPOSE, clear);
  }

  String open(String sealed) {
    return box.open(PURPOSE, sealed);
  }
}
