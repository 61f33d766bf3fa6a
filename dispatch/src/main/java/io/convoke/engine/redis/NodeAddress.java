package io.convoke.engine.redis;

/** Where a node of a cluster is. */
record NodeAddress(String host, int port) {

  /** Reads {@code host:port}; a node that does not know its own name is where it was asked. */
  static NodeAddress of(String text, NodeAddress asked) {
    int colon = text.lastIndexOf(':');
    String host = text.substring(0, colon);
    return new NodeAddress(
        host.isEmpty() ? asked.host : host, Integer.parseInt(text.substring(colon + 1)));
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
