package io.convoke.server.webhooks;

import io.convoke.engine.crypto.SecretBox;

/** Encrypts the secrets of endpoints with {@code CONVOKE_SECRET_KEY}. */
public record EndpointSecretSealer(SecretBox box) {
  /** The purpose that the secrets are sealed for. */
  public static final String PURPOSE = "webhook-endpoint";

  String seal(String clear) {
    return box.seal(PURPOSE, clear);
  }

  String open(String sealed) {
    return box.open(PURPOSE, sealed);
  }
}
