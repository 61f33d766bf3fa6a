package io.convoke.server.webhooks;

/** Encrypts secrets of endpoints. */
public interface EndpointSecretSealer {
  String seal(String clear);

  String open(String sealed);
}
