package io.convoke.server.webhooks;

/** How secrets of endpoints are encrypted. */
public interface EndpointSecretSealer {
  String seal(String clear);

  String open(String sealed);
}
