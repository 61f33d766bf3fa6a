package io.convoke.engine.redis;

/** Where a node of a cluster is. */
record Address(String host, int port) {

  /** Reads {@code host:port}; a node that does not know its own name is where it was asked. */
  static Address of(String text, Address asked) {
    int colon = text.lastIndexOf(':');
    String host = text.substring(0, colon);
    return new Address(
        host.isEmpty() ? asked.host : host, Integer.parseInt(text.substring(colon + 1)));
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
