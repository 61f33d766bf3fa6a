package io.convoke.server.webhooks;

/** How secrets of endpoints are encrypted. */
public interface Secrets {
  String seal(String clear);

  String open(String sealed);
}
